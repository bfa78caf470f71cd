"use strict";
// A model that is not on the list: the fields hold the shape of the one chosen, and whoever changes one, or gives a config.json, makes
// another, which stands in the set-up as a shape in one line.
globalThis.cabe ??= {};

// use: called with the line of a new model, or with nothing where the fields make none; model: the one chosen. Returns {show(model)}.
cabe.ownModel = function (form, words, signs, { use, model }) {
  const panel = form.querySelector("[data-own]");
  const pasted = panel.querySelector("[data-config]");
  const { kinds, defaults, most } = cabe.facts.shape;
  const WIDTHS = Object.fromEntries([...panel.querySelectorAll("[data-width]")].map((one) => [one.dataset.width, one]));
  const ALWAYS = Object.keys(WIDTHS).filter((field) => !WIDTHS[field].parentNode.hidden); // of the model that the build drew
  let shown = "";

  function mark(control, message) {
    const text = document.getElementById(control.getAttribute("aria-describedby").split(" ").pop());
    control.setAttribute("aria-invalid", message ? "true" : "false");
    text.textContent = message;
  }

  function show(model) {
    if (model === shown || !panel.open) return;
    const fields = cabe.fieldsOf(model);
    if (!fields) return;
    shown = model;
    for (const [field, control] of Object.entries(WIDTHS)) {
      control.value = kinds[field] === "name" ? fields[field] : String(fields[field]).replace(".", signs.decimal);
      control.parentNode.hidden = !ALWAYS.includes(field) && fields[field] === defaults[field];
      mark(control, "");
    }
  }

  // The number in a field, or its message.
  function read(field) {
    const kind = kinds[field];
    const control = WIDTHS[field];
    if (kind === "name") return { value: control.value };
    const { value, error } = cabe.readNumber(control.value);
    if (error) return { message: words["errors." + error] };
    const [low, high] = { whole: [1, most], count: [0, most], flag: [0, 1], share: [0.01, 1] }[kind];
    if (!(value >= low && value <= high) && value !== defaults[field]) {
      return { message: cabe.fill(words["errors.range"], { low: String(low).replace(".", signs.decimal), high }) };
    }
    return kind === "share" || Number.isInteger(value) ? { value } : { message: words.whole };
  }

  function typed() {
    const found = Object.keys(WIDTHS).map((field) => [field, read(field)]);
    const fields = Object.fromEntries(found.map(([field, { value }]) => [field, value]));
    const misread = found.filter(([, { message }]) => message);
    const odd = misread.length ? [] : cabe.atOdds(fields).map((field) => [field, { message: words.at_odds }]);
    const messages = Object.fromEntries([...misread, ...odd].map(([field, { message }]) => [field, message]));
    for (const [field, control] of Object.entries(WIDTHS)) {
      mark(control, messages[field] ?? "");
      if (messages[field]) control.parentNode.hidden = false;
    }
    if (Object.keys(messages).length) return use("");
    shown = cabe.writeShape(fields);
    use(shown);
  }

  function paste() {
    if (!pasted.value.trim()) return mark(pasted, "");
    const { fields, faults } = cabe.readConfig(pasted.value);
    const told = (faults ?? []).map(({ what, ...named }) => cabe.fill(words["config_" + what], named));
    mark(pasted, [...new Set(told)].join(" "));
    if (fields) use(cabe.writeShape(fields));
  }

  panel.hidden = false;
  panel.addEventListener("toggle", () => show(model()));
  panel.addEventListener("input", (event) => {
    event.stopPropagation(); // the form reads its own fields
    if (event.target === pasted) paste();
    else if (event.target.dataset.width) typed();
  });
  panel.querySelector("[data-config-file]").addEventListener("change", async ({ target }) => {
    if (!target.files.length) return;
    pasted.value = await target.files[0].text();
    paste();
  });
  return { show };
};
