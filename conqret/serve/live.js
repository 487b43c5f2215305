"use strict";
(() => {
  /* The list is loaded anew; not while somebody types, and not unseen. */
  const list = document.querySelector("[data-live]");
  setInterval(() => {
    if (!document.hidden && document.activeElement.id !== "q") location.reload();
  }, Number(list.dataset.live) * 1000);
})();
