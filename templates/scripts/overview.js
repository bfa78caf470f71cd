"use strict";
// A table that readers filter and sort in place: hides and moves the rows that the build wrote, counts what is left, and keeps the
// choice in the address. What it says stands in the page as data (cabe/pages/catalogue/filters.py).
(function () {
  const ANNOUNCE_AFTER = 600; // milliseconds of rest, so that a screen reader hears one count and not every key
  const GB = 1e9;
  const form = document.querySelector("form[data-filters]");
  const table = document.querySelector("table[data-rows]");
  const { language, signs, counted, errors } = JSON.parse(document.querySelector("[data-filters-facts]").textContent);
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.querySelectorAll("[data-sort]")];
  const own = table.querySelector("thead [data-own]");
  const controls = [...form.querySelectorAll("[data-filter]")];
  const plural = new Intl.PluralRules(language);
  const { compare } = new Intl.Collator(language, { numeric: true });
  let sorted = ""; // the figure that rows are sorted by, with a minus from the largest to the smallest
  let timer = 0;

  // Filters: by kind, what a control asks of a row; nothing where it asks nothing.

  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/[^a-z0-9.]/g, "");
  const cellOf = (row, key) => row.cells[heads.find(({ dataset }) => dataset.sort === key).cellIndex];
  const figure = (row, key) => Number(cellOf(row, key).dataset.value);
  const compared = ({ dataset }) => form.elements[dataset.of]?.value ?? dataset.of;

  // What is typed, in bytes; NaN where it is no number, which stands beside the field.
  function typed(control) {
    const { value, error } = cabe.readNumber(control.value);
    const message = errors[error] ?? "";
    control.nextElementSibling.textContent = message;
    control.setAttribute("aria-invalid", String(Boolean(message)));
    return value === undefined ? NaN : value * GB;
  }

  function within(control, holds) {
    const end = typed(control);
    return Number.isNaN(end) ? null : (row) => holds(figure(row, compared(control)), end);
  }

  const TESTS = {
    text: ({ value }) => (row) => value.split(/\s+/).every((part) => plain(row.cells[0].textContent).includes(plain(part))),
    same: ({ name, value }) => value && ((row) => row.dataset[name] === value),
    most: (control) => within(control, (amount, end) => amount <= end),
    least: (control) => within(control, (amount, end) => amount >= end),
    figure: () => null, // says what `most` compares
    device: () => null, // says where verdicts are looked up
    verdict: ({ value }) => value && own && !own.hidden && ((row) => ["fits", value].includes(row.dataset.verdict)),
  };

  // The verdict of a row in a column: its cells of verdicts are runs of columns.
  function runAt(row, column) {
    let end = 0;
    return [...row.querySelectorAll("td:not([data-own], [data-value])")].find((cell) => (end += cell.colSpan) > column);
  }

  function tell(row, column) {
    const run = runAt(row, column);
    const cell = row.cells[own.cellIndex];
    cell.textContent = run.textContent;
    cell.className = row.dataset.verdict = run.className;
  }

  // A column of its own for the chosen device, so that its verdicts stand beside the names.
  function showOwn() {
    if (!own) return;
    const { value, textContent, dataset } = form.elements.device.selectedOptions[0];
    own.textContent = value && textContent;
    for (const one of table.querySelectorAll("[data-own]")) one.hidden = !value;
    for (const head of table.querySelectorAll("[data-at]")) head.classList.toggle("chosen", head.dataset.at === dataset.column);
    form.elements.verdict.closest(".field").hidden = !value;
    if (value) for (const row of rows) tell(row, Number(dataset.column));
  }

  function count(number) {
    const text = (counted[plural.select(number)] ?? counted.other).replace("{n}", cabe.writeNumber(number, signs));
    form.querySelector("[data-count]").textContent = text;
    document.querySelector("[data-none]").hidden = number > 0;
    clearTimeout(timer);
    timer = setTimeout(() => (form.querySelector("[data-announce]").textContent = number ? text : document.querySelector("[data-none]").textContent), ANNOUNCE_AFTER);
  }

  function filter() {
    showOwn();
    const tests = controls.map((control) => TESTS[control.dataset.filter](control)).filter(Boolean);
    for (const row of rows) row.hidden = !tests.every((test) => test(row));
    count(rows.filter((row) => !row.hidden).length);
  }

  // Order

  function sort() {
    const key = sorted.replace("-", "");
    const sign = sorted.startsWith("-") ? -1 : 1;
    const order = key === "name" ? (one, other) => compare(one.cells[0].textContent, other.cells[0].textContent) : (one, other) => figure(one, key) - figure(other, key);
    body.append(...(key ? rows.toSorted((one, other) => sign * order(one, other)) : rows));
    for (const head of heads) {
      if (head.dataset.sort === key) head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  }

  // State: what every control holds, and the order

  const usual = (control) => control.options?.[0].value ?? "";

  function stated() {
    const changed = controls.filter((control) => control.value !== usual(control)).map(({ name, value }) => [name, value]);
    return Object.fromEntries(sorted ? [...changed, ["order", sorted]] : changed);
  }

  function load(pairs) {
    for (const control of controls) {
      control.value = pairs.get(control.name) ?? usual(control);
      if (control.selectedIndex === -1) control.value = usual(control);
    }
    const order = pairs.get("order") ?? "";
    sorted = heads.some(({ dataset }) => dataset.sort === order.replace("-", "")) ? order : "";
    filter();
    sort();
  }

  form.hidden = false;
  for (const head of heads) head.firstElementChild.disabled = false;
  filter();
  const keep = cabe.address(stated, load);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    filter();
    keep();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault(); // a browser resets to what it restored
    load(new URLSearchParams());
    keep();
  });
  table.tHead.addEventListener("click", ({ target }) => {
    const key = target.closest("[data-sort]")?.dataset.sort;
    if (!key) return;
    sorted = sorted === key ? `-${key}` : key;
    sort();
    keep();
  });
})();
