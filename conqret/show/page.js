"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { rows, metrics, firstQuality } = JSON.parse(byId("data").textContent);
  const form = byId("filters");
  const list = byId("items");
  const fields = ["q", "stance", "status", "metric", "below", "sort", "flagged", "trimmed"];

  /* Each item with its row in both maps; what is searched is read from the page when it is first needed. */
  const records = rows.map((row, place) => ({
    ...row,
    place,
    item: byId(`i${row.n}`),
    lines: [...document.querySelectorAll(`tr[data-n="${row.n}"]`)],
    text: null,
  }));
  const textOf = (record) => (record.text ??= `${record.id} ${record.item.textContent}`.toLowerCase());
  const heads = [...document.querySelectorAll("th[data-column]")];

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

  /* The means of what a filter leaves, over the items that have a value, rounded and written as the others are. */
  const rounded = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, roundingMode: "halfEven" });
  const short = (value) => {
    const text = rounded.format(value);
    return { "0.00": "0", "1.00": "1" }[text] ?? text.replace(/^0/, "");
  };
  const left = byId("left");
  const sumUp = (kept) => {
    left.hidden = kept.length === records.length || !kept.length;
    if (left.hidden) return;
    left.cells[0].textContent = `Mean of the ${kept.length} shown`;
    metrics.forEach((metric, column) => {
      const values = kept.map((record) => record.values[column]).filter((value) => value !== null);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const cell = left.cells[column + 1];
      cell.className = values.length ? `l${Math.round(mean * 10)}` : "gap-cell";
      if (column === firstQuality) cell.classList.add("first");
      cell.textContent = values.length ? short(mean) : "–";
      cell.title = values.length ? `${metric}: mean ${mean.toFixed(3)}, n = ${values.length} of ${kept.length}` : `${metric}: no score`;
    });
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

  /* A map that is wider or longer than its box says so and fades where it goes on; a long one ends on a whole row. */
  const boxes = [...document.querySelectorAll(".scroll")].filter((box) => box.querySelector(".map"));
  const fade = (box) => {
    box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    box.classList.toggle("more-down", box.scrollTop + box.clientHeight < box.scrollHeight - 1);
  };
  const fit = () => {
    for (const box of boxes) {
      const table = box.querySelector(".map");
      const lines = [...table.tBodies[0].rows].filter((line) => !line.hidden);
      if (box.classList.contains("long") && lines.length) {
        box.style.maxHeight = "";
        const top = lines[0].offsetTop;
        const foot = [...table.tFoot.rows].find((line) => !line.hidden).offsetHeight;
        const ends = lines.map((line) => line.offsetTop + line.offsetHeight).filter((end) => end + foot <= box.clientHeight);
        if (ends.length < lines.length) box.style.maxHeight = `${(ends.at(-1) ?? top) + foot + 1}px`;
      }
      const ways = [];
      if (box.scrollHeight > box.clientHeight + 1) ways.push(`down for all ${lines.length} items`);
      if (box.scrollWidth > box.clientWidth + 1) ways.push(`sideways for all ${table.rows[0].cells.length - 1} columns`);
      const cue = box.previousElementSibling;
      cue.hidden = !ways.length;
      cue.textContent = `Scroll the table ${ways.join(", ")}.`;
      fade(box);
    }
  };
  for (const box of boxes) box.addEventListener("scroll", () => fade(box), { passive: true });
  addEventListener("resize", fit);

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
      for (const line of record.lines) line.hidden = hidden;
      if (!moved) continue;
      for (const line of record.lines) line.parentNode.append(line);
      list.append(record.item);
    }
    sumUp(order.filter((record) => !record.item.hidden));
    byId("count").textContent = `${visible} of ${records.length} items`;
    byId("none").hidden = visible > 0;
    byId("direction").setAttribute("aria-pressed", String(reversed));
    for (const head of heads) {
      if (head.dataset.column === state.sort) head.setAttribute("aria-sort", reversed ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    for (const table of document.querySelectorAll(".map")) rove(table);
    fit();
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

  /* In a map one cell is in the tab order; arrows move through the rest. */
  const cells = (table) => [...table.querySelectorAll("tbody tr:not([hidden])")].map((line) => [...line.querySelectorAll("a")]);
  const rove = (table) => {
    for (const link of table.querySelectorAll("tbody a")) link.tabIndex = -1;
    const first = cells(table)[0];
    if (first) first[0].tabIndex = 0;
  };
  const moveInMap = (event, link) => {
    const grid = cells(link.closest("table"));
    const y = grid.findIndex((line) => line.includes(link));
    const x = grid[y].indexOf(link);
    const to = {
      ArrowUp: grid[y - 1]?.[x], ArrowDown: grid[y + 1]?.[x], ArrowLeft: grid[y][x - 1], ArrowRight: grid[y][x + 1],
      Home: grid[y][0], End: grid[y].at(-1),
    }[event.key];
    if (!to) return;
    event.preventDefault();
    link.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
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
    } else if (target.matches(".map tbody a")) moveInMap(event, target);
    else if (target.matches(".item > summary")) moveInList(event, target);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    reveal(link.getAttribute("href").slice(1));
  });

  for (const head of heads) {
    const button = head.querySelector("button");
    button.disabled = false;
    button.addEventListener("click", () => {
      reversed = byId("sort").value === head.dataset.column ? !reversed : false;
      byId("sort").value = head.dataset.column;
      changed();
    });
  }
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", clear);
  byId("direction").addEventListener("click", () => { reversed = !reversed; changed(); });
  addEventListener("popstate", load);
  load();
})();
