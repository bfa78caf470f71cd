"use strict";
// A training configuration, YAML or JSON, as options of a set-up. Which key sets what stands in data/training_configs.yaml.
globalThis.cabe ??= {};

(function () {
  const LONGEST = 200_000; // signs: many times what any configuration has
  const NOTHING = ["", "null", "Null", "NULL", "~"];
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const plain = (text) => text.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const flow = (text) => (/^\[.*\]$/s.test(text) ? text.slice(1, -1).split(",").map(plain).filter(Boolean) : plain(text));

  // The line without its comment: a # at the start or behind a space, outside of quotes.
  function bare(line) {
    let quote = "";
    for (let at = 0; at < line.length; at++) {
      const sign = line[at];
      if (quote) quote = sign === quote ? "" : quote;
      else if (/["']/.test(sign) && (at === 0 || /[\s[,:]/.test(line[at - 1]))) quote = sign;
      else if (sign === "#" && (at === 0 || /\s/.test(line[at - 1]))) return line.slice(0, at).trimEnd();
    }
    return line.trimEnd();
  }

  // The lines that say something: {indent, text}. A list in brackets that goes on is one line.
  function linesOf(yaml) {
    const lines = yaml.replace(/^\ufeff/, "").replaceAll("\t", "  ").split(/\r?\n/).map(bare);
    const found = lines.filter((line) => line && !/^(---|\.\.\.|%)/.test(line)).map((line) => ({ indent: line.search(/\S/), text: line.trim() }));
    return found.reduce((whole, line) => {
      const last = whole.at(-1);
      if (last && /(^|[:-]\s+)\[[^\]]*$/.test(last.text)) last.text += " " + line.text;
      else whole.push(line);
      return whole;
    }, []);
  }

  // What training configurations use of YAML, by indentation. A line that is none of it is a key without a value.
  function block(lines, from, indent) {
    return lines[from].text.startsWith("-") ? items(lines, from, indent) : mapping(lines, from, indent);
  }

  const past = (lines, at, indent) => {
    while (at < lines.length && lines[at].indent > indent) at++;
    return at;
  };

  function mapping(lines, from, indent) {
    const made = {};
    let at = from;
    while (at < lines.length && lines[at].indent >= indent && !(lines[at].indent === indent && lines[at].text.startsWith("-"))) {
      const [, key, rest] = /^("[^"]*"|'[^']*'|[^\s"'{[][^:]*?)\s*:(?:\s+(.*))?$/s.exec(lines[at].text) ?? [undefined, lines[at].text, "?"];
      const own = lines[at].indent;
      const next = lines[at + 1];
      const inside = next && (next.indent > own || (next.indent === own && next.text.startsWith("- ")));
      at++;
      if (rest) {
        made[plain(key)] = flow(rest);
        at = past(lines, at, own); // text that goes on
      } else if (inside) [made[plain(key)], at] = block(lines, at, next.indent);
      else made[plain(key)] = "";
    }
    return [made, at];
  }

  function items(lines, from, indent) {
    const made = [];
    let at = from;
    while (at < lines.length && lines[at].indent === indent && lines[at].text.startsWith("-")) {
      const text = lines[at].text.slice(1).trim();
      if (/^[\w."']+:(\s|$)/.test(text)) made.push({}); // a mapping, of which no key is looked at
      else if (text) made.push(flow(text));
      at = past(lines, at + 1, indent);
    }
    return [made, at];
  }

  function parsed(text) {
    try {
      return JSON.parse(text);
    } catch {
      const lines = linesOf(text);
      return lines.length && lines.some(({ text }) => /^[^\s{[][^:]*:(\s|$)/.test(text)) ? block(lines, 0, lines[0].indent)[0] : null;
    }
  }

  // Keys with their values, at any depth; of a key that has no bearing, nothing inside is looked at.
  function flat(object, known) {
    return Object.entries(object).flatMap(([key, value]) => (isObject(value) && !known.has(key) ? flat(value, known) : [[key, Array.isArray(value) && value.some(isObject) ? "…" : value]]));
  }

  function modelOf(value) {
    const last = (name) => name.toLowerCase().split("/").at(-1).replace(/^meta-(?=llama)/, "").replace(/-(instruct|chat|it|base|hf|bnb-4bit|unsloth|fp16|v0\.\d)(?=-|$)/g, "").replace(/[^a-z0-9]/g, "");
    const { repos, models } = cabe.facts;
    const exact = repos[value.toLowerCase()];
    const alike = Object.entries(repos).filter(([repo]) => last(repo) === last(value));
    return exact ?? alike[0]?.[1] ?? (Object.hasOwn(models.rows, value) ? value : undefined);
  }

  // The options that one key with a value sets; null where it is not understood.
  function setBy({ option, names, values, always }, value) {
    const text = String(value).toLowerCase().replace(/^(\d+)_(?=\d)/, "$1");
    if (values) {
      const found = Object.keys(values).find((one) => (one.startsWith("~") ? text.includes(one.slice(1)) : one === text));
      return found === undefined ? null : values[found];
    }
    const named = names ? [value].flat().flatMap((one) => String(one).split(",")).map((one) => names[one.trim()]) : [option === "model" ? modelOf(String(value)) : text];
    return named.includes(undefined) ? null : { [option]: named.join(","), ...always };
  }

  cabe.isModelKey = (key) => cabe.facts.config_keys.some(([known, sets]) => known === key && sets?.option === "model");

  // asked: the options that have fields. Returns {setup, taken, idle, unknown}: options, and the keys that set them, that have no bearing
  // on memory, and that were not understood; null where the text is no configuration.
  cabe.readTraining = function (text, asked) {
    const whole = text.length > LONGEST ? null : parsed(text);
    if (!isObject(whole)) return null;
    const keys = new Map(cabe.facts.config_keys);
    const idle = new Set(cabe.facts.config_keys.filter(([, sets]) => !sets).map(([key]) => key));
    const stated = flat(whole, idle).filter(([, value]) => !NOTHING.includes(String(value ?? "")));
    const found = { setup: { method: "full" }, taken: [], idle: [], unknown: [] }; // full where no key names an adapter
    const order = [...keys.keys()];
    stated.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
    for (const [key, value] of stated) {
      const sets = keys.has(key) && !idle.has(key) ? setBy(keys.get(key), value) : null;
      const bears = sets && (!Object.keys(sets).length || Object.keys(sets).some((option) => option in asked));
      if (bears) Object.assign(found.setup, sets);
      found[bears ? "taken" : sets || idle.has(key) ? "idle" : "unknown"].push(key);
    }
    return found;
  };
})();
