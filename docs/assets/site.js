// A table that is wider than the page can be scrolled by keyboard, too. The theme puts its frame round it when it is shown.
"use strict";
new MutationObserver(() => {
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) frame.tabIndex = 0;
}).observe(document.documentElement, { childList: true, subtree: true });
