"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  /* The theme: the system's, light or dark. */
  const THEMES = ["system", "light", "dark"];
  const themeButton = document.getElementById("theme");
  let theme = "system";
  try { theme = localStorage.getItem("conqret-theme") || "system"; } catch { /* no storage for this page */ }
  const setTheme = (name) => {
    theme = THEMES.includes(name) ? name : "system";
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    themeButton.textContent = themeButton.dataset[theme] || `Theme: ${theme}`;
    try { localStorage.setItem("conqret-theme", theme); } catch { /* it holds for this visit */ }
  };
  themeButton.addEventListener("click", () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]));
  setTheme(theme);
})();
