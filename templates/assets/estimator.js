"use strict";
// A calculator with every option: reads the fields, asks estimate.js, changes the texts and positions that the build drew.
// What it asks and says stands in the page as data (cabe/pages/calculators.py and results.py); the set-up is in the address.
(function () {
  const ANNOUNCE_AFTER = 600; // milliseconds of rest, so that a screen reader hears one result and not every key
  const KEEP_AFTER = 150; // the address is slow to write
  const UNITS = { GB: 1e9, GiB: 2 ** 30 };
  const form = document.querySelector("form[data-estimator]");
  if (!form) return;
  const { facts } = cabe;
  const { base, options: asked, adapter, signs, words } = JSON.parse(form.querySelector("[data-estimator-facts]").textContent);
  const FIELDS = Object.fromEntries(
    Object.keys(asked).map((option) => {
      const box = form.querySelector(`[data-option="${option}"]`);
      const controls = [...box.querySelectorAll("input, select")];
      const choices = controls[0].options ? [...controls[0].options].map(({ dataset, value }, at) => [value, { at, when: dataset.when && JSON.parse(dataset.when) }]) : [];
      return [option, { box, controls, message: box.querySelector("[data-error]"), choices: new Map(choices) }];
    }),
  );
  const COMMAND = ["method", ...Object.keys(asked).filter((option) => !["model", "method", "device"].includes(option))];
  let given = {}; // option: text, where it is stated
  let misread = {}; // option: message
  let timer = 0;
  let resting = 0;
  let answered = null; // {made, kept} of the last result

  // Texts

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const unit = () => form.elements.unit.value;
  const number = (value) => cabe.writeNumber(value, signs);
  const inUnit = (value) => number(value / UNITS[unit()]);
  const plain = (value) => String(value).replace(".", signs.decimal); // as it may be typed
  const WRITE = {
    count: number,
    bytes: (value) => `${inUnit(value)}\u00a0${unit()}`,
    share: (value) => fill(signs.percent, { n: value * 100 < 0.005 ? "0" : number(value * 100) }),
  };
  const { bytes, share } = WRITE;
  const node = (selector) => form.querySelector(selector);
  const said = (name) => node(`[data-text="${name}"]`)?.textContent ?? "";

  function say(name, text) {
    for (const one of form.querySelectorAll(`[data-text="${name}"]`)) one.textContent = text;
  }

  // Fields: one reader and one writer for each kind. A reader gives {value} as text, or {error}.

  const alike = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const NAMES = {
    model: Object.entries(facts.models.rows).map(([id, [name]]) => ({ id, name })),
    device: Object.entries(facts.devices).map(([id, { name }]) => ({ id, name })),
  };

  function readName(option) {
    const typed = alike(form.elements[option].value);
    if (!typed && asked[option].optional) return { value: "" };
    const exact = NAMES[option].find(({ id, name }) => [alike(id), alike(name)].includes(typed));
    const near = typed ? NAMES[option].filter(({ id, name }) => alike(id).startsWith(typed) || alike(name).startsWith(typed)) : [];
    const found = exact ?? (near.length === 1 ? near[0] : null);
    return found ? { value: found.id } : { error: words["unknown_" + option] };
  }

  function readNumber(option) {
    const { low, high, whole, optional } = asked[option];
    const text = form.elements[option].value;
    if (!text.trim() && optional) return { value: "" };
    const { value, error } = cabe.readNumber(text);
    if (error) return { error: fill(words["errors." + error], {}) };
    if (!(value >= low && value <= high)) return { error: fill(words["errors.range"], { low: plain(low), high: plain(high) }) };
    return whole && !Number.isInteger(value) ? { error: words.whole } : { value: String(value) };
  }

  // The checked modules: the first set that is among them by its name, the others one by one.
  function readModules(option) {
    const checked = [...form.elements[option]].filter((box) => box.checked).map((box) => box.value);
    if (!checked.length) return { error: words.no_targets };
    const [set, members] = Object.entries(facts.sets).find(([, own]) => own.every((one) => checked.includes(one))) ?? ["", []];
    return { value: [set, ...checked.filter((one) => !members.includes(one))].filter(Boolean).join(",") };
  }

  function showModules(option, value) {
    const modules = value.split(",").flatMap((name) => facts.sets[name] ?? [name]);
    for (const box of form.elements[option]) box.checked = modules.includes(box.value);
  }

  const READ = { name: readName, number: readNumber, modules: readModules, choice: (option) => ({ value: form.elements[option].value }) };
  const SHOW = {
    name: (option, value) => (form.elements[option].value = NAMES[option].find(({ id }) => id === value)?.name ?? value),
    number: (option, value) => (form.elements[option].value = plain(value)),
    modules: showModules,
    choice: (option, value) => (form.elements[option].value = value),
  };

  // The set-up

  function state(option, value) {
    delete given[option];
    const usual = cabe.filled(given)[option];
    if (value === "") return;
    if (String(value) !== String(usual) || option === "method") given[option] = String(value);
  }

  function read(option) {
    const { value, error } = READ[asked[option].kind](option);
    delete misread[option];
    if (!error) return state(option, value);
    misread[option] = error;
    if (option !== "model") delete given[option]; // no set-up is without one
  }

  function showAll() {
    const options = cabe.filled(given);
    for (const [option, { kind }] of Object.entries(asked)) SHOW[kind](option, String(options[option] || given[option] || ""));
  }

  const means = (when, options) => !when || cabe.holds(when, options);
  const meant = (option, options) =>
    means(asked[option]?.when, options) && means(FIELDS[option]?.choices.get(options[option])?.when, options);

  // What of the options stated means something.
  function kept(stated) {
    const options = cabe.filled(stated);
    return Object.fromEntries(Object.entries(stated).filter(([option]) => meant(option, options)));
  }

  const conflicts = (options) => facts.conflicts.filter(({ when }) => cabe.holds(when, options));

  // Adapters that a model has no place for.
  function untrained({ trainable_params, expert_layers, stacks_rewritten, target_gate, target_up, trains_all, infers }) {
    if (trains_all || infers) return {};
    if (trainable_params === 0) return { targets: words.nothing_trained };
    return expert_layers && stacks_rewritten && target_gate !== target_up ? { targets: words.gate_with_up } : {};
  }

  // Fields that mean nothing are hidden, and what nobody stated shows its default.
  function offer(options) {
    for (const [option, { kind, when }] of Object.entries(asked)) {
      const { box, controls, choices } = FIELDS[option];
      box.hidden = !means(when, options);
      for (const { at, when } of choices.values()) {
        const one = controls[0].options[at];
        if (when) one.hidden = one.disabled = !cabe.holds(when, options);
      }
      const typed = ["name", "number"].includes(kind); // may be half done
      if (!typed && !misread[option]) SHOW[kind](option, String(options[option]));
    }
  }

  function mark(messages) {
    for (const [option, { box, controls, message }] of Object.entries(FIELDS)) {
      const text = messages[option] ?? "";
      if (message.textContent === text) continue;
      message.textContent = text;
      for (const control of controls) control.setAttribute("aria-invalid", text ? "true" : "false");
      if (text) box.closest("details")?.setAttribute("open", "");
    }
  }

  // Results

  // The bar of cabe/charts/share.py: parts one after another, a part too thin to see gets two pixels.
  function draw(amounts, high, usable) {
    const top = Math.max(high, usable ?? 0);
    const percent = (value) => Math.round((value / top) * 1e5) / 1e3;
    let sum = 0;
    let shift = 0;
    for (const [part, amount] of Object.entries(amounts)) {
      const block = node(`[data-block="${part}"]`);
      const width = percent(amount);
      const thin = width > 0 && width < 0.8;
      block.toggleAttribute("hidden", width === 0);
      block.setAttribute("x", percent(sum) + "%");
      block.setAttribute("width", thin ? "2px" : width + "%");
      block.setAttribute("transform", `translate(${shift} 0)`);
      if (thin) shift += 2;
      else sum += amount;
    }
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

  // Memory grows with the length nearly in a straight line, so a line between the two ends finds it in a few estimates.
  function longest(setup, shape, usable) {
    const peak = (seq) => cabe.estimate({ ...setup, seq }, shape).peak;
    const fits = (bytes) => cabe.verdict(bytes, usable) === "fits";
    let low = { seq: 1, peak: peak(1) };
    let high = { seq: facts.models.rows[setup.model][1] };
    high.peak = peak(high.seq);
    if (!fits(low.peak)) return 0;
    if (fits(high.peak)) return high.seq;
    for (let turn = 1; high.seq - low.seq > 1; turn++) {
      const part = turn % 3 ? (facts.verdicts.fits * usable - low.peak) / (high.peak - low.peak) : 0.5; // curves need halving
      const seq = Math.min(Math.max(low.seq + Math.floor(part * (high.seq - low.seq)), low.seq + 1), high.seq - 1);
      const middle = { seq, peak: peak(seq) };
      if (fits(middle.peak)) low = middle;
      else high = middle;
    }
    return low.seq;
  }

  function warnings(options, values, device) {
    const [name, most] = facts.models.rows[options.model];
    const found = [];
    if (Number(options.seq) > most) found.push(fill(words.beyond_context, { model: name, tokens: number(most) }));
    if (device?.bf16 === false && options.dtype === "bf16") found.push(fill(words.no_bf16, { device: device.name }));
    if (values.expert_layers && options.quantization !== "none") found.push(words.unpacked_experts);
    return found.join(" ");
  }

  // {id: change} that may help: those of the facts, half the length, and the next step of sharing the model out.
  function changes(options) {
    const { gpus, sharding, seq } = options;
    const found = facts.changes.filter(({ when }) => cabe.holds(when, options)).map(({ id, to }) => [id, to]);
    if (Number(seq) > 1) found.push(["half-length", { seq: Math.floor(seq / 2) }]);
    const shares = facts.options.sharding[sharding].shards_weights;
    const all = Number(gpus) === 1 ? { gpus: 2, sharding: "fsdp" } : shares ? { gpus: 2 * gpus } : { sharding: "fsdp" };
    found.push(["share-out", all]);
    return found.filter(([, to]) => Object.entries(to).every(([option, value]) => option in asked && !(value > asked[option].high)));
  }

  // Every change that the other options allow and that lowers the peak, the most helpful first.
  function suggestions({ made, setup, shape }, usable) {
    const found = [];
    for (const [id, to] of changes(made.options)) {
      const changed = kept({ ...setup, ...to });
      if (conflicts(cabe.filled(changed)).length) continue;
      const { peak, values } = cabe.estimate(changed, shape);
      if (peak < made.peak && !untrained(values).targets) found.push({ id, to, peak, frees: made.peak - peak });
    }
    return found.sort((one, other) => other.frees - one.frees).map((one) => ({ ...one, verdict: cabe.verdict(one.peak, usable) }));
  }

  function suggest(found) {
    const list = node("[data-suggestions]");
    list.hidden = !found.length;
    for (const item of list.querySelectorAll("li")) item.hidden = true;
    for (const { id, peak, frees, verdict } of found) {
      const item = list.querySelector(`[data-change="${id}"]`);
      const names = { frees: bytes(frees), peak: bytes(peak), verdict: words.verdicts[verdict] };
      item.querySelector("span").textContent = fill(words.suggestion_line, names);
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
    say("verdict_line", device ? fill(words.verdict_line, named) : words.no_device);
    node("[data-verdict]").className = `verdict ${verdict ?? "none"}`;
    say("driver_line", fill(words.driver_line, { mid: bytes(driver.mid), high: bytes(driver.high) }));
    say("phase_line", fill(words.phase_line, { phase: words.phases[phase] }));
    say("sum", `${terms.map(([part, amount]) => `${bytes(amount)} ${words.parts[part]}`).join(" + ")} = ${bytes(peak)}`);
    say("limit", device ? fill(words.limit, named) : "");
    const most = device && longest(setup, shape, device.usable);
    say("longest", !device ? "" : most ? fill(words.longest_line, { seq: number(most) }) : words.longest_none);
    say("warnings", warnings(options, values, device));
    draw(components, driver.high, device?.usable);
    tabulate(components, peak);
    suggest(device && verdict !== "fits" ? suggestions({ made, setup, shape }, device.usable) : []);
  }

  function showAdapter({ made, setup, shape }) {
    for (const [name, kind] of Object.entries(adapter)) node(`dl [data-figure="${name}"]`).textContent = WRITE[kind](made.values[name]);
    for (const row of form.querySelectorAll("[data-rank]")) {
      const { values } = cabe.estimate({ ...setup, rank: row.dataset.rank }, shape);
      for (const cell of row.querySelectorAll("[data-figure]")) cell.textContent = WRITE[adapter[cell.dataset.figure]](values[cell.dataset.figure]);
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
    const result = node("[data-chart]") ? fill(words.announce, { verdict: said("verdict_line"), peak: `${said("peak")}\u00a0${unit()}` }) : `${term}: ${figure}`;
    node("[data-announce]").textContent = answered ? result : words.check_fields;
  }

  function answer() {
    const setup = kept(given);
    const options = cabe.filled(setup);
    offer(options);
    const messages = Object.fromEntries(conflicts(options).map(({ id, option }) => [option, words.conflicts[id]]));
    for (const [option, message] of Object.entries(misread)) if (meant(option, options)) messages[option] = message;
    answered = null;
    if (!Object.keys(messages).length) {
      const shape = cabe.shape(setup.model);
      const made = cabe.estimate(setup, shape);
      Object.assign(messages, untrained(made.values));
      if (!messages.targets) answered = { made, setup, shape };
    }
    mark(messages);
    form.classList.toggle("unanswered", !answered);
    if (answered) show(answered);
    else showNothing();
  }

  // The address: every option that is stated, so that it gives the same in another language and another year.

  const stated = () => new URLSearchParams({ ...kept(given), ...(unit() === "GB" ? {} : { unit: unit() }) }).toString();
  let touched = false;

  function keepAddress() {
    try {
      history.replaceState(null, "", "#" + stated());
    } catch {
      // a browser may limit how often; the next change tries again
    }
  }

  function readAddress() {
    const hash = new URLSearchParams(location.hash.slice(1));
    touched = hash.has("model");
    given = touched ? { model: base.model, method: base.method } : { ...base };
    for (const [option, value] of touched ? hash : []) if (option in asked) given[option] = value;
    if (["GB", "GiB"].includes(hash.get("unit"))) form.elements.unit.value = hash.get("unit");
    misread = {};
    showAll();
    for (const [option, { kind }] of Object.entries(asked)) {
      if (kind === "choice" && !form.elements[option].value) delete given[option];
      else if (option in given) read(option);
    }
  }

  // Copies

  function command(setup) {
    const stated = COMMAND.filter((option) => option in setup).map((option) => `--${option} ${setup[option]}`);
    return ["python build.py estimate", setup.model, ...stated, ...(setup.device ? [`--device ${setup.device}`] : [])].join(" ");
  }

  function asText() {
    const figures = [...form.querySelectorAll("dl div")].map((one) => `${one.children[0].textContent}: ${one.children[1].textContent}`);
    const lines = ["verdict_line", "sum", "phase_line", "driver_line", "longest", "warnings", "command"].map(said);
    return [facts.models.rows[answered.setup.model][0], ...figures, ...lines].filter(Boolean).join("\n");
  }

  function asJson() {
    const { made, setup } = answered;
    const { model, method, device, ...options } = made.options;
    const { states, resident, trainable_params } = made.values;
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

  function apply(id) {
    const usable = facts.devices[answered.setup.device].usable;
    const found = suggestions(answered, usable).find((one) => one.id === id);
    for (const [option, value] of Object.entries(found.to)) state(option, value);
    showAll();
    changed();
    node("[data-verdict]").focus();
  }

  function changed() {
    touched = true;
    answer();
    clearTimeout(resting);
    clearTimeout(timer);
    resting = setTimeout(keepAddress, KEEP_AFTER);
    timer = setTimeout(announce, ANNOUNCE_AFTER);
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target.name in asked) read(target.name);
    if (target.name) changed();
  });
  form.addEventListener("click", ({ target }) => {
    if (target.dataset.copy) copy(target.dataset.copy);
    else if (target.closest("[data-change] button")) apply(target.closest("[data-change]").dataset.change);
  });
  addEventListener("hashchange", () => {
    if (!location.hash.includes("=")) return; // a section of the page
    readAddress();
    answer();
  });
  document.addEventListener("click", ({ target }) => {
    const anchor = target.closest(".languages a");
    if (anchor && touched) anchor.hash = stated(); // after site.js, which keeps the section
  }, { capture: true });
  for (const one of form.querySelectorAll(".units, .copies")) one.hidden = false;
  readAddress();
  answer();
})();
