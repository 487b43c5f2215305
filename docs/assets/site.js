// Code and tables that are wider than the page can be scrolled by keyboard, too, and such a table says that it goes on.
// The theme puts the frame of a table round it when it is shown, and takes the keyboard from code that it measured before.
"use strict";
const measured = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    const wider = target.scrollWidth > target.clientWidth + 1;
    target.classList.toggle("wider", wider);
    if (wider) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
new MutationObserver((changes) => {
  for (const { target, type } of changes)
    if (type === "attributes" && target.matches(".wider:not([tabindex])")) target.tabIndex = 0;
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) measured.observe(one);
}).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ["tabindex"] });
