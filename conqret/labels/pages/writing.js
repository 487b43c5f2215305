// What is marked in the text becomes the next snippet.
"use strict";
(() => {
  const passage = document.getElementById("passage");
  const snippet = document.getElementById("snippet");
  document.addEventListener("selectionchange", () => {
    const marked = document.getSelection();
    if (marked.isCollapsed || !passage.contains(marked.anchorNode) || !passage.contains(marked.focusNode)) return;
    snippet.value = marked.toString();
  });
})();
