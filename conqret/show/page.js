"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { rows, metrics } = JSON.parse(byId("data").textContent);
  const form = byId("filters");
  const list = byId("items");
  const fields = ["q", "stance", "status", "metric", "below", "sort", "flagged", "trimmed"];

  /* What is searched is read from the page when it is first needed. */
  const records = rows.map((row, place) => ({
    ...row,
    place,
    item: byId(`i${row.n}`),
    text: null,
  }));
  const textOf = (record) => (record.text ??= `${record.id} ${record.item.textContent}`.toLowerCase());

  let reversed = false;
  const read = () => Object.fromEntries(fields.map((name) => {
    const field = byId(name);
    return [name, field.type === "checkbox" ? field.checked : field.value.trim()];
  }));

  const fits = (record, state) => {
    if (state.stance && record.stance !== state.stance) return false;
    if (state.status && record.status !== state.status) return false;
    if (state.flagged && !record.flagged) return false;
    if (state.trimmed && !record.trimmed) return false;
    if (state.below !== "") {
      const value = record.values[Number(state.metric)];
      if (value === null || value >= Number(state.below)) return false;
    }
    return state.q.toLowerCase().split(/\s+/).every((word) => !word || textOf(record).includes(word));
  };

  /* Items without a value stand last whichever way the values run; ties keep the order of the page. */
  const compare = (key) => (a, b) => {
    const sign = reversed ? -1 : 1;
    if (key === "") return sign * (a.place - b.place);
    if (key === "n") return sign * (a.n - b.n);
    if (key === "id" || key === "topic") return sign * a[key].localeCompare(b[key], undefined, { numeric: true }) || a.n - b.n;
    const [x, y] = [a.values[Number(key)], b.values[Number(key)]];
    if (x === null || y === null) return (x === null) - (y === null) || a.n - b.n;
    return sign * (x - y) || a.n - b.n;
  };

  /* What is shown, as CSV; what a spreadsheet would take for a formula begins with an apostrophe. */
  const field = (value) => {
    const text = String(value ?? "");
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const download = () => {
    const kept = [...list.children].map((item) => records.find((record) => record.item === item)).filter((record) => !record.item.hidden);
    const lines = [
      ["item", "topic", "stance", "status", "flagged", "trimmed", ...metrics],
      ...kept.map((record) => [record.id, record.topic, record.stance, record.status, record.flagged, record.trimmed, ...record.values]),
    ];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", ...lines.map((line) => `${line.map(field).join(",")}\r\n`)], { type: "text/csv" }));
    link.download = "scores.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  byId("csv").addEventListener("click", download);

  let at = "";
  let before = records;
  const show = () => {
    const state = read();
    const order = [...records].sort(compare(state.sort));
    const moved = order.some((record, place) => record !== before[place]);
    before = order;
    let visible = 0;
    for (const record of order) {
      const hidden = !fits(record, state);
      visible += !hidden;
      record.item.hidden = hidden;
      if (moved) list.append(record.item);
    }
    byId("count").textContent = `${visible} of ${records.length} items`;
    byId("none").hidden = visible > 0;
    byId("direction").setAttribute("aria-pressed", String(reversed));
  };

  /* The state stands in the address, so that a view can be shared. */
  const save = (push = false) => {
    const state = read();
    const kept = new URLSearchParams();
    for (const name of fields) {
      if (name === "metric" ? state.below !== "" && state.metric !== "0" : state[name]) kept.set(name, state[name] === true ? "1" : state[name]);
    }
    if (reversed) kept.set("reverse", "1");
    if (at) kept.set("at", at);
    const hash = kept.toString() ? `#${kept}` : " ";
    if (push) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  };
  const load = () => {
    const hash = location.hash.slice(1);
    if (hash && byId(hash)) return reveal(hash, false);
    const kept = new URLSearchParams(hash);
    form.reset();
    for (const name of fields) {
      const field = byId(name);
      if (!kept.has(name)) continue;
      if (field.type === "checkbox") field.checked = kept.get(name) === "1";
      else field.value = kept.get(name);
      if (field.tagName === "SELECT" && field.selectedIndex < 0) field.selectedIndex = 0;
    }
    reversed = kept.get("reverse") === "1";
    at = kept.get("at") || "";
    show();
    if (at) reveal(at, false);
  };
  const changed = () => { show(); save(); };
  const clear = () => { form.reset(); reversed = false; changed(); };

  /* Go to an item, a document, a citation or a metric: open what holds it, and show where it is. */
  const reveal = (id, push = true) => {
    const target = byId(id);
    if (!target) return;
    const holder = target.closest(".item");
    if (holder) {
      if (holder.hidden) clear();
      for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
      at = id;
      save(push);
    }
    const place = target.matches("details") ? target.querySelector("summary") : target;
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
    const block = target.matches(".cite, tr, td") ? "center" : "start";
    target.scrollIntoView({ block, behavior: "instant" });
    document.querySelector(".target")?.classList.remove("target");
    if (target.matches(".document, .argument, .cite, tr")) target.classList.add("target");
  };

  const moveInList = (event, summary) => {
    const all = records.filter((record) => !record.item.hidden).map((record) => record.item);
    const shown = [...list.children].filter((item) => all.includes(item)).map((item) => item.querySelector("summary"));
    const here = shown.indexOf(summary);
    const to = { ArrowUp: shown[here - 1], ArrowDown: shown[here + 1], Home: shown[0], End: shown.at(-1) }[event.key];
    if (!to) return;
    event.preventDefault();
    to.focus();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    const typing = target.matches("input, select, textarea");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      byId("q").focus();
      byId("q").select();
    } else if (event.key === "Escape") {
      if (target.id === "q") {
        target.value = "";
        changed();
        return;
      }
      const open = target.closest(".item[open]");
      if (!open) return;
      open.open = false;
      open.querySelector("summary").focus();
    } else if (event.key === "ArrowDown" && target.id === "q") {
      const first = [...list.children].find((item) => !item.hidden);
      if (first) first.querySelector("summary").focus();
      event.preventDefault();
    } else if (target.matches(".item > summary")) moveInList(event, target);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    reveal(link.getAttribute("href").slice(1));
  });

  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", clear);
  byId("direction").addEventListener("click", () => { reversed = !reversed; changed(); });
  addEventListener("popstate", load);
  load();
})();
