"use strict";
// Estimates as `build.py estimate` makes them: looks up what models and options stand for, evaluates the formulas, takes the
// largest instant. All arithmetic about memory is in cabe.facts.formulas; the largest instant, the first on ties, is the one rule here.
globalThis.cabe ??= {};

// setup: {option: value} with hyphens, text or numbers, model among them; what is missing takes its default.
cabe.filled = function (setup) {
  const given = Object.fromEntries(Object.entries(setup).filter(([, value]) => value !== "" && value !== undefined));
  const { defaults, quantization } = cabe.facts;
  const method = given.method ?? defaults.method;
  const packing = given.quantization ?? quantization[method];
  const prep = packing === "none" || method === "inference" ? "no" : "yes";
  return { ...defaults, quantization: packing, "kbit-prep": prep, "gradient-dtype": "", prompt: 0, ...given };
};

// The options that a value of `when` meets; see cabe/facts/rules.py.
cabe.holds = function (when, options) {
  const met = (condition, value) => {
    if (Array.isArray(condition)) {
      const each = condition.map((one) => met(one, value));
      return condition.every((one) => one.startsWith("not ")) ? each.every(Boolean) : each.some(Boolean);
    }
    if (condition.startsWith("not ")) return String(value) !== condition.slice(4);
    if (condition.startsWith("above ")) return Number(value) > Number(condition.slice(6));
    return String(value) === condition;
  };
  return Object.entries(when).every(([name, condition]) => met(condition, options[name]));
};

const providers = new Map(); // input of the formulas → the option that stands for it, and how

function provider(input) {
  if (!providers.size) {
    const { options, numbers } = cabe.facts;
    for (const [option, table] of Object.entries(options)) {
      for (const name of Object.keys(Object.values(table)[0])) {
        providers.set(name, option === "targets" ? { target: name.slice("target_".length) } : { option, table });
      }
    }
    for (const option of numbers) providers.set(option.replaceAll("-", "_"), { option });
  }
  return providers.get(input);
}

// The number of every input of the formulas, by its name. shape: the numbers of a model, by input.
cabe.inputs = function (options, shape) {
  const { sets } = cabe.facts;
  const modules = String(options.targets).split(",").flatMap((name) => sets[name.trim()] ?? [name.trim()]);
  return (name) => {
    const { option, table, target } = provider(name) ?? {};
    if (target) return modules.includes(target) ? 1 : 0;
    if (table) return table[options[option]][name];
    return option ? Number(options[option]) : shape[name];
  };
};

// The instant with the largest sum of its parts, the first on ties: {phase, parts, above}.
cabe.largest = function (instants, values) {
  const names = cabe.facts.at_the_peak;
  let found = null;
  for (const [phase, own] of instants) {
    let above = 0;
    for (const part of names) if (own[part]) above += values(own[part]);
    if (!found || above > found.above) found = { phase, own, above };
  }
  const { phase, own, above } = found;
  return { phase, parts: Object.fromEntries(names.map((part) => [part, own[part] ? values(own[part]) : 0])), above };
};

// {peak, phase, components, driver: {low, mid, high}, values}, in bytes of one device; values: any number by its name.
cabe.estimate = function (setup, shape) {
  const { formulas, instants, parts } = cabe.facts;
  const options = cabe.filled(setup);
  const inputs = cabe.inputs(options, shape ?? cabe.shape(options.model));
  const infers = options.method === "inference";
  const step = cabe.compute(formulas.step, inputs);
  const values = infers ? cabe.compute(formulas.inference, step) : step;
  const { phase, parts: at, above } = cabe.largest(instants[infers ? "inference" : "step"], values);
  const peak = values("resident") + above;
  const components = Object.fromEntries(parts.map((part) => [part, part in at ? at[part] : values(part)]));
  const driver = cabe.compute(formulas.driver, (name) => (name === "peak" ? peak : inputs(name)));
  return { options, peak, phase, components, driver: { low: peak, mid: driver("driver_mid"), high: driver("driver_high") }, values };
};

// The verdict by the peak as a share of what is usable.
cabe.verdict = function (peak, usable) {
  const { fits, tight } = cabe.facts.verdicts;
  const share = peak / usable;
  return share <= fits ? "fits" : share <= tight ? "tight" : "too-big";
};
