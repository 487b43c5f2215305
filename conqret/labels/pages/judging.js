// The slider in words, and the time that is left (the server keeps it).
"use strict";
(() => {
  const form = document.getElementById("answer");
  const slider = document.getElementById("slider");
  const said = document.getElementById("said");
  const words = new Map([...document.querySelectorAll("#points li")].map((one) => [one.dataset.point, one.textContent]));
  const tell = () => {
    said.textContent = words.get(slider.value);
    slider.setAttribute("aria-valuetext", words.get(slider.value));
  };
  slider.addEventListener("input", tell);
  tell();

  let sent = false;
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });

  const clock = document.getElementById("clock");
  if (!clock) return;
  const minute = document.getElementById("minute");
  const end = performance.now() + Number(clock.dataset.left) * 1000;
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    clock.classList.toggle("last", left <= 60);
    if (left <= 60 && !minute.textContent) minute.textContent = minute.dataset.words;
    if (left > 0) setTimeout(tick, 250);
    else if (!sent) form.requestSubmit();
  };
  tick();
})();
