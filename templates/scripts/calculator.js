"use strict";
// A simple calculator: reads the fields, evaluates the formulas, changes the texts that the build wrote (cabe/pages/simple.py).
(function () {
  const ANNOUNCE_AFTER = 600; // milliseconds of rest, so that a screen reader hears one result and not every key
  const form = document.querySelector("form[data-calculator]");
  if (!form) return;
  const { formulas, ranges, lines, signs, words } = JSON.parse(form.querySelector("[data-calculator-facts]").textContent);
  const plain = (value) => String(value).replace(".", signs.decimal); // a bound must be typable as it is shown
  let timer = 0;

  function readField(name) {
    const input = form.elements[name];
    const [low, high] = ranges[name];
    const read = cabe.readNumber(input.value);
    const error = read.error ?? (read.value >= low && read.value <= high ? "" : "range");
    input.setAttribute("aria-invalid", error ? "true" : "false");
    document.getElementById(name + "-error").textContent = error ? cabe.fill(words["errors." + error], { low: plain(low), high: plain(high) }) : "";
    return error ? null : read.value;
  }

  // texts: every input and result as text; null where there is no result.
  function show(texts) {
    form.querySelector("[data-result]").textContent = texts ? texts[lines.at(-1)] : "–";
    for (const line of form.querySelectorAll("[data-line]")) line.textContent = texts ? cabe.fill(words[line.dataset.line], texts) : "";
    form.classList.toggle("unanswered", !texts);
    clearTimeout(timer);
    timer = setTimeout(() => {
      form.querySelector("[data-announce]").textContent = texts ? cabe.fill(words[lines.at(-1)], texts) : words.check_fields;
    }, ANNOUNCE_AFTER);
  }

  function answer() {
    const inputs = Object.fromEntries(Object.keys(ranges).map((name) => [name, readField(name)]));
    if (Object.values(inputs).includes(null)) return show(null);
    const chosen = form.elements.bytes_per_parameter.selectedOptions[0];
    const made = cabe.evaluate(formulas, { ...inputs, bytes_per_parameter: Number(chosen.value) });
    const texts = Object.entries(made).map(([name, value]) => [name, cabe.writeNumber(value, signs)]);
    show({ ...Object.fromEntries(texts), bytes_per_parameter: chosen.dataset.text });
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", answer);
  if (form.elements.billions.value !== form.elements.billions.defaultValue) answer(); // a browser may restore what was typed
})();
