"use strict";
// A training configuration, YAML or JSON, as options of a set-up. Which key sets what stands in data/training_configs.yaml.
globalThis.cabe ??= {};

(function () {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const plain = (text) => text.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const flow = (text) => (/^\[.*\]$/s.test(text) ? text.slice(1, -1).split(",").map(plain).filter(Boolean) : plain(text));

  // The lines of a YAML file that say something: {indent, text}.
  function linesOf(yaml) {
    const lines = yaml.replaceAll("\t", "  ").split(/\r?\n/).map((line) => line.replace(/(^|\s)#(?=([^"']*["'][^"']*["'])*[^"']*$).*$/, "").trimEnd());
    return lines.filter((line) => line.trim() && !/^(---|\.\.\.|%)/.test(line)).map((line) => ({ indent: line.search(/\S/), text: line.trim() }));
  }

  // What training configurations use of YAML: mappings and lists by indentation, scalars, lists in brackets.
  function block(lines, indent) {
    if (lines[0].text.startsWith("-")) return items(lines, indent);
    const made = {};
    while (lines.length && lines[0].indent === indent) {
      const [, key, rest] = /^("[^"]*"|'[^']*'|\w[\w./ -]*):(?:\s+(.*))?$/s.exec(lines[0].text) ?? [];
      if (key === undefined) return null;
      lines.shift();
      const inside = lines.length && (lines[0].indent > indent || (lines[0].indent === indent && lines[0].text.startsWith("- ")));
      if (rest && !/^[|>][+-]?$/.test(rest)) made[plain(key)] = flow(rest);
      else made[plain(key)] = inside ? block(lines, lines[0].indent) : "";
      if (made[plain(key)] === null) return null;
    }
    return lines.length && lines[0].indent > indent ? null : made;
  }

  function items(lines, indent) {
    const made = [];
    while (lines.length && lines[0].indent === indent && lines[0].text.startsWith("-")) {
      const text = lines[0].text.slice(1).trim();
      const deeper = indent + lines[0].text.length - text.length;
      if (!text || /^[\w."']+:(\s|$)/.test(text)) {
        if (text) lines[0] = { indent: deeper, text };
        else lines.shift();
        made.push(lines.length && lines[0].indent > indent ? block(lines, lines[0].indent) : "");
      } else {
        made.push(flow(text));
        lines.shift();
      }
      if (made.at(-1) === null) return null;
    }
    return made;
  }

  function parsed(text) {
    try {
      return JSON.parse(text);
    } catch {
      const lines = linesOf(text);
      const made = lines.length ? block(lines, lines[0].indent) : null;
      return lines.length ? null : made;
    }
  }

  // Keys with their values, at any depth; of a key that has no bearing, nothing inside is looked at.
  function flat(object, known) {
    return Object.entries(object).flatMap(([key, value]) => (isObject(value) && !known.has(key) ? flat(value, known) : [[key, value]]));
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
    const text = String(value).toLowerCase();
    if (values) {
      const found = Object.keys(values).find((one) => (one.startsWith("~") ? text.includes(one.slice(1)) : one === text || one === "*"));
      return found === undefined ? null : values[found];
    }
    const named = names ? [value].flat().flatMap((one) => String(one).split(",")).map((one) => names[one.trim()]) : [option === "model" ? modelOf(String(value)) : text];
    return named.includes(undefined) ? null : { [option]: named.join(","), ...always };
  }

  // asked: the options that have fields. Returns {setup, taken, idle, unknown}: options, and the keys that set them, that have no bearing
  // on memory, and that were not understood; null where the text is no configuration.
  cabe.readTraining = function (text, asked) {
    const whole = parsed(text);
    if (!isObject(whole)) return null;
    const keys = new Map(cabe.facts.config_keys);
    const idle = new Set(cabe.facts.config_keys.filter(([, sets]) => !sets).map(([key]) => key));
    const stated = flat(whole, idle).filter(([, value]) => value !== null && value !== "" && value !== "null" && String(value) !== "");
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
