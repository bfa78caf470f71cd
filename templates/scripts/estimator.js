"use strict";
// A calculator with every option: reads the fields, asks estimate.js, changes the texts and positions that the build drew.
// What it asks and says stands in the page as data (cabe/pages/calculators.py and results.py).
(function () {
  const ANNOUNCE_AFTER = 600; // milliseconds of rest, so that a screen reader hears one result and not every key
  const UNITS = { GB: 1e9, GiB: 2 ** 30 };
  const form = document.querySelector("form[data-estimator]");
  if (!form) return;
  const { facts } = cabe;
  const { base, options: asked, adapter, signs, words } = JSON.parse(form.querySelector("[data-estimator-facts]").textContent);
  const COMMAND = ["method", ...Object.keys(asked).filter((option) => !["model", "method", "device"].includes(option))];
  const fields = cabe.fields(form, asked, words, signs);
  const own = cabe.ownModel(form, words, signs, { use, model: () => fields.setup().model });
  let timer = 0;
  let answered = null; // {made, setup, shape} of the last result

  // Texts

  const unit = () => form.elements.unit.value;
  const number = (value) => cabe.writeNumber(value, signs);
  const inUnit = (value) => number(value / UNITS[unit()]);
  const WRITE = {
    count: number,
    bytes: (value) => `${inUnit(value)}\u00a0${unit()}`,
    share: (value) => cabe.fill(signs.percent, { n: value * 100 < 0.005 ? "0" : number(value * 100) }),
  };
  const { bytes, share } = WRITE;
  const node = (selector) => form.querySelector(selector);
  const said = (name) => node(`[data-text="${name}"]`)?.textContent ?? "";

  const nameOf = (model) => facts.models.rows[model]?.[0] ?? words.own_model;

  function say(name, text) {
    for (const one of form.querySelectorAll(`[data-text="${name}"]`)) one.textContent = text;
  }

  // Results

  function draw(amounts, high, usable) {
    const percent = cabe.moveBlocks(form, amounts, Math.max(high, usable ?? 0));
    const end = percent(Object.values(amounts).reduce((total, amount) => total + amount, 0));
    node("[data-rest]").setAttribute("x", end + "%");
    node("[data-rest]").setAttribute("width", Math.round((percent(high) - end) * 1e3) / 1e3 + "%");
    for (const name of ["x1", "x2"]) node("[data-limit]").setAttribute(name, percent(usable ?? 0) + "%");
    const label = node("[data-limit-label]");
    label.setAttribute("x", percent(usable ?? 0) + "%");
    label.setAttribute("text-anchor", usable && percent(usable) < 50 ? "start" : "end");
    for (const one of [node("[data-limit]"), label]) one.toggleAttribute("hidden", !usable);
  }

  function tabulate(components, peak) {
    for (const [part, amount] of Object.entries(components)) {
      const row = node(`[data-part="${part}"]`);
      row.hidden = !amount;
      row.cells[1].textContent = amount ? bytes(amount) : "";
      row.cells[2].textContent = amount ? share(amount / peak) : "";
    }
  }

  function warnings(options, values, device) {
    const most = cabe.context(options.model);
    const found = [];
    if (Number(options.seq) > most) found.push(cabe.fill(words.beyond_context, { model: nameOf(options.model), tokens: number(most) }));
    if (device?.bf16 === false && options.dtype === "bf16") found.push(cabe.fill(words.no_bf16, { device: device.name }));
    if (values("expert_layers") && options.quantization !== "none") found.push(words.unpacked_experts);
    return found.join(" ");
  }

  // Changes that this calculator has fields for.
  function helpful({ made, setup, shape }) {
    const offered = (to) => Object.entries(to).every(([option, value]) => option in asked && !(value > asked[option].high));
    return cabe.suggestions(made, shape, (to) => (offered(to) ? fields.kept({ ...setup, ...to }) : null));
  }

  function suggest(found, usable) {
    const list = node("[data-suggestions]");
    list.hidden = !found.length;
    for (const item of list.querySelectorAll("li")) item.hidden = true;
    for (const { id, peak, frees } of found) {
      const item = list.querySelector(`[data-change="${id}"]`);
      const names = { frees: bytes(frees), peak: bytes(peak), verdict: words.verdicts[cabe.verdict(peak, usable)] };
      item.querySelector("span").textContent = cabe.fill(words.suggestion_line, names);
      item.hidden = false;
      item.parentNode.append(item);
    }
  }

  function showPeak({ made, setup, shape }) {
    const { options, peak, phase, components, driver, values } = made;
    const device = facts.devices[setup.device];
    const verdict = device ? cabe.verdict(peak, device.usable) : null;
    const named = device && { verdict: words.verdicts[verdict], device: device.name, share: share(peak / device.usable), usable: bytes(device.usable) };
    const terms = Object.entries(components).filter(([, amount]) => amount > 0);
    say("peak", inUnit(peak));
    say("verdict_line", device ? cabe.fill(words.verdict_line, named) : words.no_device);
    node("[data-verdict]").className = `verdict ${verdict ?? "none"}`;
    say("driver_line", cabe.fill(words.driver_line, { mid: bytes(driver.mid), high: bytes(driver.high) }));
    say("phase_line", cabe.fill(words.phase_line, { phase: words.phases[phase] }));
    say("sum", `${terms.map(([part, amount]) => `${bytes(amount)} ${words.parts[part]}`).join(" + ")} = ${bytes(peak)}`);
    say("limit", device ? cabe.fill(words.limit, named) : "");
    const most = device && cabe.longest(setup, shape, device.usable);
    say("longest", !device ? "" : most ? cabe.fill(words.longest_line, { seq: number(most) }) : words.longest_none);
    say("warnings", warnings(options, values, device));
    draw(components, driver.high, device?.usable);
    tabulate(components, peak);
    suggest(device && verdict !== "fits" ? helpful({ made, setup, shape }) : [], device?.usable);
  }

  function showAdapter({ made, setup, shape }) {
    for (const [name, kind] of Object.entries(adapter)) node(`dl [data-figure="${name}"]`).textContent = WRITE[kind](made.values(name));
    for (const row of form.querySelectorAll("[data-rank]")) {
      const { values } = cabe.estimate({ ...setup, rank: row.dataset.rank }, shape);
      for (const cell of row.querySelectorAll("[data-figure]")) cell.textContent = WRITE[adapter[cell.dataset.figure]](values(cell.dataset.figure));
    }
  }

  function show(result) {
    for (const one of form.querySelectorAll("[data-unit]")) one.textContent = unit();
    if (node("[data-chart]")) showPeak(result);
    else showAdapter(result);
    say("command", command(result.setup));
  }

  function showNothing() {
    for (const name of ["driver_line", "phase_line", "longest", "warnings", "sum", "limit", "command"]) say(name, "");
    say("peak", "–");
    say("verdict_line", words.check_fields);
    for (const one of form.querySelectorAll("[data-figure]")) one.textContent = "–";
    if (!node("[data-chart]")) return;
    node("[data-verdict]").className = "verdict none";
    node("[data-suggestions]").hidden = true;
  }

  function announce() {
    const [term, figure] = [node("dt"), node("dd")].map((one) => one?.textContent);
    const result = node("[data-chart]") ? cabe.fill(words.announce, { verdict: said("verdict_line"), peak: `${said("peak")}\u00a0${unit()}` }) : `${term}: ${figure}`;
    node("[data-announce]").textContent = answered ? result : words.check_fields;
  }

  function answer() {
    const setup = fields.setup();
    const options = fields.filled(setup);
    fields.offer(options);
    const messages = Object.fromEntries(cabe.conflicts(options).map(({ id, option }) => [option, words.conflicts[id]]));
    Object.assign(messages, fields.mistakes(options));
    answered = null;
    if (!Object.keys(messages).length) {
      const shape = cabe.shape(setup.model);
      const made = cabe.estimate(setup, shape);
      const wrong = cabe.untrained(made.values);
      if (wrong) messages.targets = words[wrong];
      else answered = { made, setup, shape };
    }
    own.show(setup.model);
    fields.mark(messages);
    form.classList.toggle("unanswered", !answered);
    if (answered) show(answered);
    else showNothing();
  }

  // The address: every option that is stated, so that it gives the same in another language and another year.

  const stated = () => (touched ? { ...fields.setup(), ...(unit() === "GB" ? {} : { unit: unit() }) } : {});
  let touched = false;

  function readAddress(pairs) {
    touched = pairs.has("model");
    const given = [...pairs].filter(([option]) => Object.hasOwn(asked, option));
    if (Object.hasOwn(UNITS, pairs.get("unit"))) form.elements.unit.value = pairs.get("unit");
    fields.load(touched ? { method: base.method, ...Object.fromEntries(given) } : base);
    answer();
  }

  // Copies

  function command(setup) {
    const stated = COMMAND.filter((option) => option in setup).map((option) => `--${option} ${setup[option]}`);
    return ["python build.py estimate", setup.model, ...stated, ...(setup.device ? [`--device ${setup.device}`] : [])].join(" ");
  }

  function asText() {
    const figures = [...form.querySelectorAll("dl div")].map((one) => `${one.children[0].textContent}: ${one.children[1].textContent}`);
    const lines = ["verdict_line", "sum", "phase_line", "driver_line", "longest", "warnings", "command"].map(said);
    return [nameOf(answered.setup.model), ...figures, ...lines].filter(Boolean).join("\n");
  }

  // Values as the command line prints them: numbers as numbers, null where nothing is said.
  function typed([option, value]) {
    if (value === "" || (option === "prompt" && !Number(value))) return [option, null];
    return [option, facts.numbers.includes(option) ? Number(value) : value];
  }

  function asJson() {
    const { made, setup } = answered;
    const { model, method, device, ...given } = made.options;
    const options = Object.fromEntries(Object.entries(given).map(typed));
    const [states, resident, trainable_params] = ["states", "resident", "trainable_params"].map(made.values);
    const { peak, phase, driver, components } = made;
    const usable = facts.devices[device]?.usable;
    const fits = usable ? [{ device, usable, verdict: cabe.verdict(peak, usable) }] : [];
    return JSON.stringify({ model, method, setup: { model, method, ...options }, states, resident, peak, phase, driver, trainable_params, components, fits }, null, 2);
  }

  const COPIES = { text: asText, command: () => command(answered.setup), json: asJson };

  function offerByHand(text) {
    const area = node("[data-by-hand]");
    area.parentNode.hidden = false;
    area.value = text;
    area.focus();
    area.select();
  }

  async function copy(what) {
    if (!answered) return;
    const text = COPIES[what]();
    try {
      await navigator.clipboard.writeText(text);
      node("[data-announce]").textContent = words.copied;
    } catch {
      offerByHand(text); // a page from a disk may not write there
    }
  }

  // A training configuration sets every option anew; the device stays, and so does the model where the file names none.
  function takeOver(text) {
    const found = text.trim() ? cabe.readTraining(text, asked) : undefined;
    const keys = node("[data-keys]");
    node("[data-training-error]").textContent = found === null ? words.no_configuration : "";
    keys.hidden = !found;
    if (!found) return;
    for (const one of keys.querySelectorAll("[data-keys-of]")) {
      one.textContent = found[one.dataset.keysOf].join(", ");
      one.parentNode.hidden = !one.textContent;
    }
    const { model, device } = fields.setup();
    fields.load({ ...(model ? { model } : {}), ...(device ? { device } : {}), ...found.setup });
    if (found.unknown.some((key) => cabe.isModelKey(key))) fields.refuse("model", words.unknown_model);
    changed();
  }

  // The shape that the fields of another model make, or nothing.
  function use(line) {
    if (line && cabe.shape(line)) fields.change({ model: line });
    else fields.refuse("model", words.no_shape);
    changed();
  }

  function apply(id) {
    fields.change(helpful(answered).find((one) => one.id === id).to);
    changed();
    node("[data-verdict]").focus();
  }

  function changed() {
    touched = true;
    answer();
    keepAddress();
    clearTimeout(timer);
    timer = setTimeout(announce, ANNOUNCE_AFTER);
  }

  node("[data-training]")?.toggleAttribute("hidden", false);
  node("[data-training-config]")?.addEventListener("input", ({ target }) => takeOver(target.value));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target.name in asked) fields.read(target.name);
    if (target.name) changed();
  });
  form.addEventListener("click", ({ target }) => {
    if (target.dataset.copy) copy(target.dataset.copy);
    else if (target.closest("[data-change] button")) apply(target.closest("[data-change]").dataset.change);
  });
  for (const one of form.querySelectorAll(".units, .copies")) one.hidden = false;
  fields.load(base);
  const keepAddress = cabe.address(stated, readAddress);
  answer();
})();
