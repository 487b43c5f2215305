// Keys of the screen: everything works without them, too.
"use strict";
(() => {
  const form = document.getElementById("questions");
  if (!form) return;
  const sets = [...form.querySelectorAll("fieldset")];
  const radios = (set) => [...set.querySelectorAll("input[type=radio]")];
  const answered = (set) => radios(set).some((radio) => radio.checked);
  const first = () => sets.find((set) => !answered(set));
  let at = sets.indexOf(first() || sets[0]);
  let begun = false;

  function go(place) {
    if (place < 0 || place >= sets.length) return;
    at = place;
    for (const set of sets) set.classList.toggle("now", set === sets[at]);
    const all = radios(sets[at]);
    (all.find((radio) => radio.checked) || sets[at]).focus({ preventScroll: true });
    if (begun) sets[at].scrollIntoView({ block: "nearest" });
    begun = true; // a page opens at its top, with what is to be judged
  }

  function choose(radio) {
    if (!radio) return;
    radio.checked = true;
    radio.focus({ preventScroll: true });
    count();
    const next = first();
    if (next) go(sets.indexOf(next));
    else form.querySelector("button.main").focus();
  }

  const sofar = document.getElementById("sofar");
  function count() {
    if (sofar) sofar.textContent = sofar.dataset.words.replace("{done}", sets.filter(answered).length).replace("{count}", sets.length);
  }
  form.addEventListener("change", count);
  const scale = document.getElementById("grades");
  if (scale && matchMedia("(max-width: 860px)").matches) scale.open = false; // the texts need the room

  form.addEventListener("focusin", (event) => {
    const set = event.target.closest("fieldset");
    if (set) {
      at = sets.indexOf(set);
      for (const one of sets) one.classList.toggle("now", one === set);
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea, input:not([type=radio])")) {
      if (event.key === "Escape") go(at);
      return;
    }
    const pressed = [...form.querySelectorAll("[data-keys]")].find((button) => button.dataset.keys.includes(event.key));
    const all = radios(sets[at]);
    if (pressed) {
      if (!event.repeat) pressed.click(); // a key that is held down answers one screen
    } else if (/^[0-9t]$/.test(event.key)) {
      const number = all.find((radio) => radio.value === event.key.replace("t", "10"));
      const numbered = all.some((radio) => /^[0-9]+$/.test(radio.value));
      choose(number || (numbered ? undefined : all[Number(event.key) - 1]));
    } else if (event.key === "x") choose(all[all.length - 1]);
    else if (event.key === "j") go(at + 1);
    else if (event.key === "k") go(at - 1);
    else if (event.key === "c") form.querySelector("textarea").focus();
    else if (event.key === "Enter" && !event.target.matches("button, a, summary")) {
      const open = first();
      if (open) go(sets.indexOf(open));
      else form.requestSubmit(form.querySelector("button.main"));
    } else return;
    event.preventDefault();
  });

  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });
  count();
  go(at);
})();
