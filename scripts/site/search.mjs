// Answer queries as the search of the site does: with the theme's own worker over the site's own index.
// node scripts/site/search.mjs SITE < queries.json, a list of texts; prints a list of lists of addresses, best first.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const site = process.argv[2];
const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;
const workers = join(site, "assets", "javascripts", "workers");
const worker = readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));

const waiting = [];
let receive;
globalThis.self = globalThis;
globalThis.location = { href: `file://${workers}/${worker}` };
globalThis.addEventListener = (kind, listener) => { if (kind === "message") receive = listener; };
globalThis.postMessage = (message) => waiting.shift()(message);
(0, eval)(readFileSync(join(workers, worker), "utf8"));

const send = (message) => new Promise((resolve) => { waiting.push(resolve); receive({ data: message }); });
const { config, docs } = JSON.parse(readFileSync(join(site, "search", "search_index.json"), "utf8"));
const ready = await send({ type: SETUP, data: { config, docs, options: { suggest: true } } });
if (ready.type !== READY) throw new Error("the worker of the search does not start");
const answers = [];
for (const query of JSON.parse(readFileSync(0, "utf8"))) {
  const { type, data } = await send({ type: QUERY, data: query });
  if (type !== RESULT) throw new Error(`no result for ${query}`);
  answers.push(data.items.map(([first]) => first.location.replace(/#.*/, "")));
}
console.log(JSON.stringify(answers));
