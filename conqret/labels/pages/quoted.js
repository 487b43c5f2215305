// A snippet that is opened is lit in its place.
"use strict";
(() => {
  const light = () => {
    const name = location.hash.slice(1);
    for (const one of document.querySelectorAll(".quoted")) {
      one.classList.toggle("lit", one.dataset.of.split(" ").includes(name));
    }
  };
  window.addEventListener("hashchange", light);
  light();
})();
