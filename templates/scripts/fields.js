"use strict";
// The fields of a calculator: what is typed and chosen as a set-up, and the other way round. One reader and one writer for each kind
// of field; a reader gives {value} as text, or {error}. What a field means stands in the page as data (cabe/pages/calculators.py).
globalThis.cabe ??= {};

// asked: {option: {kind, when, low, high, whole, optional}}; words and signs of the page.
cabe.fields = function (form, asked, words, signs) {
  const { facts } = cabe;
  const plain = (value) => String(value).replace(".", signs.decimal); // as it may be typed
  const FIELDS = Object.fromEntries(
    Object.keys(asked).map((option) => {
      const box = form.querySelector(`[data-option="${option}"]`);
      const controls = [...box.querySelectorAll("input, select")];
      const choices = [...(controls[0].options ?? [])].map(({ dataset, value }, at) => [value, { at, when: dataset.when && JSON.parse(dataset.when) }]);
      return [option, { box, controls, message: box.querySelector("[data-error]"), choices: new Map(choices) }];
    }),
  );

  let given = {}; // option: text, where it is stated
  let misread = {}; // option: message

  const nameOf = (option, id) => {
    const known = option === "model" ? facts.models.rows : facts.devices;
    return Object.hasOwn(known, id) ? (known[id].name ?? known[id][0]) : undefined;
  };
  const isOwn = (value) => value.includes("=") && cabe.shape(value) !== undefined;

  function readName(option) {
    const typed = form.elements[option].value;
    if (cabe.alike(typed) === cabe.alike(words.own_model) && isOwn(given[option] ?? "")) {
      return { value: cabe.writeShape(cabe.readShape(given[option]).fields) }; // as we write it, since a command is made of it
    }
    const value = cabe.findName(option, typed);
    return value || (value === "" && asked[option].optional) ? { value } : { error: words["unknown_" + option] };
  }

  function readNumber(option) {
    const { low, high, whole, optional } = asked[option];
    const text = form.elements[option].value;
    if (!text.trim() && optional) return { value: "" };
    const { value, error } = cabe.readNumber(text);
    if (error) return { error: cabe.fill(words["errors." + error], {}) };
    if (!(value >= low && value <= high)) return { error: cabe.fill(words["errors.range"], { low: plain(low), high: plain(high) }) };
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
    name: (option, value) => (form.elements[option].value = nameOf(option, value) ?? (isOwn(value) ? words.own_model : value)),
    number: (option, value) => (form.elements[option].value = plain(value)),
    modules: showModules,
    choice: (option, value) => (form.elements[option].value = value),
  };

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

  // Options with their defaults, and what conditions may ask of the model.
  function filled(stated) {
    const shape = cabe.shape(stated.model);
    const own = Object.entries(facts.traits).map(([trait, input]) => [trait, shape?.[input] ? "yes" : "no"]);
    return { ...cabe.filled(stated), ...Object.fromEntries(own) };
  }

  // What of the options stated means something.
  function kept(stated) {
    const options = filled(stated);
    return Object.fromEntries(Object.entries(stated).filter(([option]) => meant(option, options)));
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

  // Takes a set-up, complete or not, as if it were typed.
  function load(setup) {
    given = { ...setup };
    misread = {};
    showAll();
    for (const [option, { kind }] of Object.entries(asked)) {
      if (kind === "choice" && !form.elements[option].value) delete given[option];
      else if (option in given) read(option);
    }
  }

  // Some options, changed from elsewhere.
  function change(to) {
    for (const [option, value] of Object.entries(to)) {
      delete misread[option];
      state(option, value);
    }
    showAll();
  }

  // What keeps an option from having a value, said from elsewhere.
  const refuse = (option, message) => (misread[option] = message);

  // Messages by option, of fields that mean something.
  const mistakes = (options) => Object.fromEntries(Object.entries(misread).filter(([option]) => meant(option, options)));

  return { load, read, change, refuse, offer, mark, mistakes, kept, filled, setup: () => kept(given) };
};
