"use strict";
// Theme, folded lists on narrow pages, and the language switch that keeps the section. Everything works without it too.
(function () {
  const NARROW = matchMedia("(max-width: 64rem)");
  const THEMES = ["light", "dark"];

  function stored() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage may be closed to pages that are opened from a disk
    }
  }

  function applyTheme(theme) {
    if (THEMES.includes(theme)) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }

  function keepTheme(theme) {
    applyTheme(theme);
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // the choice then holds for this page only
    }
  }

  function offerThemes() {
    const fieldset = document.querySelector("fieldset.theme");
    const current = THEMES.includes(stored()) ? stored() : "system";
    fieldset.hidden = false;
    for (const input of fieldset.elements) {
      input.checked = input.value === current;
      input.addEventListener("change", () => keepTheme(input.value));
    }
  }

  function fold() {
    for (const details of document.querySelectorAll("details.fold")) details.open = !NARROW.matches;
  }

  function keepSection(event) {
    const anchor = event.target.closest(".languages a");
    if (anchor) anchor.hash = location.hash;
  }

  applyTheme(stored());
  offerThemes();
  fold();
  NARROW.addEventListener("change", fold);
  document.addEventListener("click", keepSection, { capture: true });
  document.addEventListener("auxclick", keepSection, { capture: true });
})();
