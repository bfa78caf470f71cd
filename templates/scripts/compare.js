"use strict";
// Two to four runs side by side: reads the fields, asks estimate.js, changes the texts and positions that the build drew. The
// address carries the choice, `#models=a,b&methods=lora,qlora`; one model alone stands with its methods side by side.
(function () {
  const ANNOUNCE_AFTER = 600; // milliseconds of rest, so that a screen reader hears one result and not every key
  const GB = 1e9;
  const form = document.querySelector("form[data-compare]");
  const { facts } = cabe;
  const { base, side_by_side, ranges, signs, words } = JSON.parse(form.querySelector("[data-compare-facts]").textContent);
  const bars = [...document.querySelectorAll("[data-run]")];
  const slots = bars.map((_, at) => ({ model: form.elements[`model-${at + 1}`], method: form.elements[`method-${at + 1}`] }));
  let state = {}; // models and methods by slot, seq, batch, device: the last that could be read
  let touched = false;
  let timer = 0;

  // Texts

  const number = (value) => cabe.writeNumber(value, signs);
  const bytes = (value) => `${number(value / GB)}\u00a0GB`;
  const share = (value) => cabe.fill(signs.percent, { n: number(value * 100) });

  function range([low, high]) {
    const ends = [number(low / GB), number(high / GB)];
    return `${ends[0] === ends[1] ? ends[0] : ends.join("–")}\u00a0GB`;
  }

  function nameOf({ options }) {
    return cabe.fill(words.run_on_model, { model: facts.models.rows[options.model][0], method: words.methods[options.method] });
  }

  // Fields

  // {value}, empty where nothing is typed, or {error}.
  function readName(kind, typed) {
    const value = cabe.findName(kind, typed);
    return value === undefined ? { error: words[`unknown_${kind}`] } : { value };
  }

  function readNumber(name, typed) {
    const [low, high] = ranges[name];
    const { value, error } = cabe.readNumber(typed);
    if (error) return { error: words.errors[error] };
    if (!(value >= low && value <= high)) return { error: cabe.fill(words.errors.range, { low, high }) };
    return Number.isInteger(value) ? { value: String(value) } : { error: words.whole };
  }

  const READ = { seq: (typed) => readNumber("seq", typed), batch: (typed) => readNumber("batch", typed), device: (typed) => readName("device", typed) };
  const SHARED = Object.keys(READ);

  function mark(control, { error = "" }) {
    document.getElementById(`${control.id}-error`).textContent = error;
    control.setAttribute("aria-invalid", String(Boolean(error)));
  }

  // The first model that reads less than the length, which is told and still computed.
  function beyondContext() {
    const short = state.models.find((model) => model && facts.models.rows[model][1] < state.seq);
    if (!short) return undefined;
    const [model, most] = facts.models.rows[short];
    return cabe.fill(words.beyond_context, { model, tokens: number(most) });
  }

  // What cannot be read keeps its last value; a run whose model is unknown is left out.
  function readAll() {
    const models = slots.map(({ model }) => readName("model", model.value));
    const shared = Object.fromEntries(SHARED.map((name) => [name, READ[name](form.elements[name].value)]));
    const kept = SHARED.map((name) => [name, shared[name].value ?? state[name]]);
    state = { models: models.map(({ value }) => value ?? ""), methods: slots.map(({ method }) => method.value), ...Object.fromEntries(kept) };
    shared.seq.error ??= beyondContext();
    models.forEach((one, at) => mark(slots[at].model, one));
    for (const name of SHARED) mark(form.elements[name], shared[name]);
  }

  function writeAll() {
    slots.forEach(({ model, method }, at) => {
      model.value = facts.models.rows[state.models[at]]?.[0] ?? state.models[at] ?? "";
      method.value = state.methods[at] ?? side_by_side[0];
    });
    for (const name of ["seq", "batch"]) form.elements[name].value = state[name];
    form.elements.device.value = facts.devices[state.device]?.name ?? state.device;
  }

  // Results

  function draw(bar, components, top, usable) {
    const percent = cabe.moveBlocks(bar, components, top);
    const limit = bar.querySelector("[data-limit]");
    limit.toggleAttribute("hidden", !usable);
    for (const name of ["x1", "x2"]) limit.setAttribute(name, percent(usable) + "%");
  }

  function showBar(bar, made, top, usable) {
    const say = (name, text) => (bar.querySelector(`[data-text="${name}"]`).textContent = text);
    const verdict = usable ? cabe.verdict(made.peak, usable) : "none";
    const told = { verdict: words.verdicts[verdict], share: share(made.peak / usable), usable: bytes(usable) };
    say("name", nameOf(made));
    say("peak", bytes(made.peak));
    say("verdict", usable ? cabe.fill(words.verdict_line, told) : "");
    say("desc", `${nameOf(made)}: ${bytes(made.peak)}`);
    bar.querySelector(".verdict").className = `verdict ${verdict}`;
    draw(bar, made.components, top, usable);
  }

  const CELLS = {
    peak: ({ peak }) => bytes(peak),
    monitor: ({ driver }) => range([driver.mid, driver.high]),
    trainable_params: ({ values }) => (values("trainable_params") && !values("infers") ? number(values("trainable_params")) : ""),
  };

  function tabulate(results) {
    const heads = document.querySelectorAll("thead [data-column]");
    results.forEach((made, at) => (heads[at].textContent = made ? nameOf(made) : ""));
    for (const row of document.querySelectorAll("[data-row]")) {
      const part = row.dataset.row;
      const write = CELLS[part] ?? (({ components }) => (components[part] ? bytes(components[part]) : ""));
      const texts = results.map((made) => (made ? write(made) : ""));
      texts.forEach((text, at) => (row.cells[at + 1].textContent = text || "–"));
      row.hidden = !texts.some(Boolean);
    }
    document.querySelectorAll("[data-column]").forEach((cell, at) => (cell.hidden = !results[at % results.length]));
  }

  function show() {
    const { seq, batch } = state;
    const results = state.models.map((model, at) => (model ? cabe.estimate({ model, method: state.methods[at], seq, batch }) : null));
    const usable = facts.devices[state.device]?.usable ?? 0;
    const top = Math.max(usable, ...results.map((made) => made?.peak ?? 0));
    results.forEach((made, at) => {
      bars[at].hidden = !made;
      if (made) showBar(bars[at], made, top, usable);
    });
    const label = document.querySelector("[data-limit-label]");
    label.textContent = usable ? cabe.fill(words.limit, { usable: bytes(usable) }) : "";
    label.setAttribute("x", (usable / top) * 100 + "%");
    label.setAttribute("text-anchor", usable / top < 0.5 ? "start" : "end");
    tabulate(results);
    return results.filter(Boolean);
  }

  function announce(results) {
    clearTimeout(timer);
    const text = results.map((made) => `${nameOf(made)}: ${bytes(made.peak)}`).join("; ");
    timer = setTimeout(() => (form.querySelector("[data-announce]").textContent = text), ANNOUNCE_AFTER);
  }

  // Address

  function stated() {
    if (!touched) return {};
    const chosen = state.models.map((model, at) => [model, state.methods[at]]).filter(([model]) => model);
    const lists = { models: chosen.map(([model]) => model).join(","), methods: chosen.map(([, method]) => method).join(",") };
    const rest = SHARED.filter((name) => state[name] !== base[name]).map((name) => [name, state[name]]);
    return { ...lists, ...Object.fromEntries(rest) };
  }

  function load(pairs) {
    touched = pairs.has("models");
    const list = (name) => (pairs.get(name) ?? "").split(",").filter(Boolean).slice(0, bars.length);
    let [models, methods] = touched ? [list("models"), list("methods")] : [base.models, base.methods];
    if (models.length === 1 && !methods.length) [models, methods] = [side_by_side.map(() => models[0]), side_by_side];
    const rest = SHARED.map((name) => [name, READ[name](pairs.get(name) ?? "").value || base[name]]);
    state = { models, methods: models.map((_, at) => (Object.hasOwn(words.methods, methods[at] ?? "") ? methods[at] : "lora")), ...Object.fromEntries(rest) };
    writeAll();
    readAll();
    show();
  }

  load(new URLSearchParams());
  const keep = cabe.address(stated, load);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    touched = true;
    readAll();
    announce(show());
    keep();
  });
})();
