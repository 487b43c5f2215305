// What is marked in the text becomes the next snippet; a snippet that is opened is lit in its place.
"use strict";
(() => {
  const passage = document.getElementById("passage");
  const snippet = document.getElementById("snippet");
  document.addEventListener("selectionchange", () => {
    const marked = document.getSelection();
    if (marked.isCollapsed || !passage.contains(marked.anchorNode) || !passage.contains(marked.focusNode)) return;
    snippet.value = marked.toString();
  });

  const light = () => {
    const name = location.hash.slice(1);
    for (const one of document.querySelectorAll(".quoted")) {
      one.classList.toggle("lit", one.dataset.of.split(" ").includes(name));
    }
  };
  window.addEventListener("hashchange", light);
  light();
})();
