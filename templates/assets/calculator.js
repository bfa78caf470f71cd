"use strict";
// The simple training calculator: reads the fields, evaluates the formulas, changes the texts that the build wrote.
(function () {
  const ANNOUNCE_AFTER = 600; // milliseconds of rest, so that a screen reader hears one result and not every key
  const form = document.querySelector('[data-calculator="training-vram"]');
  if (!form) return;
  const facts = JSON.parse(form.querySelector("[data-calculator-facts]").textContent);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const write = (value) => cabe.writeNumber(value, facts.signs);
  const plain = (value) => String(value).replace(".", facts.signs.decimal); // a bound must be typable as it is shown
  let timer = 0;

  function readField(name) {
    const input = form.elements[name];
    const [low, high] = facts.ranges[name];
    const read = cabe.readNumber(input.value);
    const error = read.error ?? (read.value >= low && read.value <= high ? "" : "range");
    const message = error ? fill(facts.words["errors." + error], { low: plain(low), high: plain(high) }) : "";
    input.setAttribute("aria-invalid", error ? "true" : "false");
    document.getElementById(name + "-error").textContent = message;
    return error ? null : read.value;
  }

  function show(texts) {
    form.querySelector("[data-result]").textContent = texts.total;
    for (const line of form.querySelectorAll("[data-line]")) {
      line.textContent = texts.good ? fill(facts.words[line.dataset.line], texts) : "";
    }
    form.classList.toggle("unanswered", !texts.good);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const said = texts.good ? fill(facts.words.total_line, texts) : facts.words.check_fields;
      form.querySelector("[data-announce]").textContent = said;
    }, ANNOUNCE_AFTER);
  }

  function answer() {
    const billions = readField("billions");
    const activations_gb = readField("activations_gb");
    if (billions === null || activations_gb === null) return show({ good: false, total: "–" });
    const chosen = form.elements.bytes_per_parameter.selectedOptions[0];
    const inputs = { billions, activations_gb, bytes_per_parameter: Number(chosen.value) };
    const results = cabe.evaluate(facts.formulas, inputs);
    show({
      good: true,
      billions: write(billions),
      bytes: chosen.dataset.text,
      activations: write(activations_gb),
      states: write(results.planned_states_gb),
      total: write(results.planned_total_gb),
    });
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", answer);
  if (form.elements.billions.value !== form.elements.billions.defaultValue) answer(); // a browser may restore what was typed
})();
