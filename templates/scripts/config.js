"use strict";
// A Hugging Face config.json as the fields of a shape, by the table of cabe/facts/config_types.py: a row says in which way each field
// is taken, and WAYS has a function for each, of the same name as in Python.
globalThis.cabe ??= {};

(function () {
  const LONGEST = 1_000_000; // signs: hundreds of times what any configuration has
  const AROUND = ["tie_word_embeddings", "dtype", "torch_dtype", "quantization_config"]; // stated outside of text_config
  const ROTARY = ["rope_parameters", "rope_scaling"];
  const WINDOWED = ["sliding_attention", "full_attention"];
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const count = (listed, kind) => listed.filter((one) => one === kind).length;
  const numbered = (layers, name) => Array.from({ length: layers ?? 0 }, (_, layer) => name(layer));

  // One object of the file: `held` is the language model's part, `whole` the file. Faults are {key, what, wanted}.
  function reader(whole, place) {
    const held = place ? whole[place] : whole;
    const faults = [];
    const tell = (key, what, wanted) => faults.push({ key, what, wanted });
    const first = (objects, names) => {
      const stated = objects.flatMap((object) => names.map((key) => ({ key, value: object[key] ?? null })));
      return stated.find(({ value }) => value !== null) ?? null;
    };
    const value = (names) => first(names.every((name) => AROUND.includes(name)) ? [held, whole] : [held], names);
    const scaling = ROTARY.map((key) => held[key]).filter(isObject);
    const number = (names) => {
      const found = first([held, ...scaling], names);
      if (!found || (typeof found.value === "number" && found.value > 0 && found.value <= cabe.facts.shape.most)) return found && found.value;
      tell(found.key, "wrong");
      return null;
    };
    return { held, scaling, faults, tell, value, number };
  }

  // What a key states if it is good, the default where it is not there; null after its fault was told.
  function taken(config, made, { names, ...options }, good) {
    const found = config.value(names);
    if (found && good(found.value)) return found.value;
    if (found) config.tell(found.key, "wrong");
    else if (!("default" in options)) config.tell(names[0], "missing");
    else return isObject(options.default) ? take(config, made, options.default) : options.default;
    return null;
  }

  function layerKinds(config, made, known) {
    const found = config.value(["layer_types"]);
    if (!found) return null;
    const good = Array.isArray(found.value) && found.value.every((one) => known.includes(one));
    if (good && found.value.length === (made.num_layers ?? found.value.length)) return found.value;
    config.tell(found.key, "wrong");
    return null;
  }

  function namedLayers(config, made, key) {
    const found = config.value([key]);
    if (!found || made.num_layers === null) return null;
    if (Array.isArray(found.value) && found.value.every((one) => Number.isInteger(one) && one >= 0 && one < made.num_layers)) return new Set(found.value);
    config.tell(key, "wrong");
    return null;
  }

  const whole = (config, made, names, fallback, most) => WAYS.whole(config, made, { names, default: fallback, most });
  const flag = (config, made, name) => WAYS.flag(config, made, { names: [name], default: false });
  const spacing = (config, made, key, usual) => (key && whole(config, made, [key], usual)) || usual;

  function both(config, made, { first, second }, join) {
    const found = [take(config, made, first), take(config, made, second)];
    return found.includes(null) ? null : join(...found);
  }

  const isCount = (value) => Number.isInteger(value) && value >= 0 && value <= cabe.facts.shape.most;

  const WAYS = {
    whole: (config, made, { most, ...options }) =>
      taken(config, made, options, (value) => Number.isInteger(value) && value >= 1 && value <= (most ?? cabe.facts.shape.most)),
    count: (config, made, options) => taken(config, made, { default: 0, ...options }, isCount),
    flag: (config, made, options) => taken(config, made, options, (value) => typeof value === "boolean"),
    rank: (config, made, { name }) => taken(config, made, { names: [name], ...(name in config.held ? { default: 0 } : {}) }, isCount),
    same: (config, made, { name }) => made[name],
    times: (config, made, { factor, name }) => made[name] && factor * made[name],
    half(config, made, { name }) {
      const width = WAYS.whole(config, made, { names: [name] });
      return width && Math.floor(width / 2);
    },
    split(config, { hidden_size, num_attention_heads: heads }) {
      if (hidden_size === null || heads === null) return null;
      if (hidden_size % heads) config.tell("head_dim", "missing");
      return Math.floor(hidden_size / heads);
    },
    context(config, made, { names, ...options }) {
      const length = WAYS.whole(config, made, { names: ["max_position_embeddings", ...(names ?? [])], ...options });
      if (!length || !config.scaling.some((one) => [one.type, one.rope_type].includes("yarn"))) return length;
      const [original, factor] = [config.number(["original_max_position_embeddings"]), config.number(["factor"])];
      return original && factor ? Math.max(length, Math.floor(original * factor)) : length;
    },
    share(config, made, { names, default: usual = 1 }) {
      const stated = config.number(names);
      const width = stated === null && made.head_dim ? config.number(["rotary_dim"]) : null;
      return stated ?? (width === null ? usual : width / made.head_dim);
    },
    plus: (config, made, ways) => both(config, made, ways, (one, other) => one + other),
    product: (config, made, ways) => both(config, made, ways, (one, other) => one * other),
    window: (config, made, { name = "sliding_window", default: usual = null }) => (made.windowed_layers ? whole(config, made, [name], usual) : null),
    windowed(config, made, { default: usual = null, full_every = null, key = "" }) {
      const listed = layerKinds(config, made, WINDOWED);
      if (("sliding_window" in config.held ? config.held.sliding_window : usual) === null) return 0;
      if (listed) return count(listed, "sliding_attention");
      const every = spacing(config, made, key, full_every);
      return made.num_layers && every ? made.num_layers - Math.floor(made.num_layers / every) : made.num_layers;
    },
    windowed_above(config, made) {
      const listed = layerKinds(config, made, WINDOWED);
      if (!flag(config, made, "use_sliding_window")) return 0;
      if (listed) return count(listed, "sliding_attention");
      const first = WAYS.count(config, made, { names: ["max_window_layers"], default: 28 });
      return made.num_layers && Math.max(0, made.num_layers - (first || 0));
    },
    kinds_else(config, made, { every, first, other, key = "" }) {
      const stated = layerKinds(config, made, [first, other]);
      if (stated || made.num_layers === null) return stated ?? [];
      const n = spacing(config, made, key, every);
      return numbered(made.num_layers, (layer) => ((layer + 1) % n ? first : other));
    },
    counted: (config, made, { kind, listed }) => count(take(config, made, listed), kind),
    below: (config, made, { kind, listed }) => Math.max(0, take(config, made, listed).indexOf(kind)),
    as_many_as: (config, made, { listed }) => take(config, made, listed).length,
    lowest: (config, made, { listed }) => take(config, made, listed)[0] ?? 0,
    sparse(config, made) {
      const dense = namedLayers(config, made, "mlp_only_layers") ?? new Set();
      const step = spacing(config, made, "decoder_sparse_step", 1);
      return numbered(made.num_layers, (layer) => layer).filter((layer) => !dense.has(layer) && !((layer + 1) % step));
    },
    interleaved(config, made) {
      const named = namedLayers(config, made, "moe_layers");
      if (named) return [...named].sort((one, other) => one - other);
      const step = spacing(config, made, "interleave_moe_layer_step", 1);
      return numbered(made.num_layers, (layer) => layer).filter((layer) => !((layer + 1) % step));
    },
    above_dense(config, made) {
      const first = WAYS.rank(config, made, { name: "first_k_dense_replace" }) || 0;
      return numbered(made.num_layers, (layer) => layer).slice(first);
    },
    chunked(config, made) {
      const listed = layerKinds(config, made, ["chunked_attention", "full_attention"]);
      const layers = made.num_layers || 0;
      if ((config.held.attention_chunk_size ?? null) === null) return 0;
      if (listed) return count(listed, "chunked_attention");
      const rotated = config.value(["no_rope_layers"]);
      if (rotated && !Array.isArray(rotated.value)) config.tell(rotated.key, "wrong");
      else if (rotated?.value.length) {
        if (rotated.value.length !== layers || rotated.value.some((one) => one !== 0 && one !== 1)) config.tell(rotated.key, "wrong");
        return count(rotated.value, 1);
      }
      return layers - Math.floor(layers / spacing(config, made, "no_rope_layer_interval", 4));
    },
    gemma4(config, made) {
      const listed = WAYS.kinds_else(config, made, { every: 6, first: WINDOWED[0], other: WINDOWED[1] });
      return listed.length ? [...listed.slice(0, -1), "full_attention"] : [];
    },
    shared_global: (config, made) => (made.kv_shared_layers ? count(WAYS.gemma4(config, made).slice(-made.kv_shared_layers), "full_attention") : 0),
    doubled(config, made) {
      const shared = Math.min(made.kv_shared_layers || 0, made.num_layers || 0);
      return flag(config, made, "use_double_wide_mlp") ? shared : 0;
    },
    global_kv_heads(config, made) {
      const own = flag(config, made, "attention_k_eq_v") ? whole(config, made, ["num_global_key_value_heads"], null) : null;
      return own || made.num_kv_heads;
    },
    convolutions(config, made) {
      const listed = layerKinds(config, made, ["conv", "full_attention"]);
      if (listed) return listed;
      const named = namedLayers(config, made, "full_attn_idxs");
      return numbered(made.num_layers, (layer) => (!named || named.has(layer) ? "full_attention" : "conv"));
    },
    adjusted(config, made) {
      const stated = WAYS.whole(config, made, { names: ["block_ff_dim", "intermediate_size"] });
      if (stated === null || !WAYS.flag(config, made, { names: ["block_auto_adjust_ff_dim"], default: true })) return stated;
      const block = whole(config, made, ["block_multiple_of"], 256) || 256;
      const width = Math.floor((config.number(["block_ffn_dim_multiplier"]) ?? 1) * Math.floor((2 * stated) / 3));
      return Math.ceil(width / block) * block;
    },
  };

  // A field as a way takes it; a fixed value is itself.
  function take(config, made, way) {
    return isObject(way) && "way" in way ? WAYS[way.way](config, made, way) : way;
  }

  // Keys without which, or with another value, the architecture would not be the one of the row.
  function require(config, { only = {}, stated = {} }) {
    for (const [key, wanted] of Object.entries({ ...only, ...stated })) {
      const found = config.value([key]);
      if (!found && key in stated) config.tell(key, "missing");
      const values = found ? [found.value].flat() : [];
      if (values.some((one) => one !== wanted && one !== Number(wanted))) config.tell(key, "refused", String(wanted));
    }
  }

  // The object that a text holds; Python's json writes numbers that JSON does not have.
  function parsed(text) {
    const plain = (found) => (found[0] === '"' ? found : "null");
    for (const read of [(one) => one, (one) => one.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, plain)]) {
      try {
        const whole = text.length > LONGEST ? null : JSON.parse(read(text));
        return isObject(whole) ? whole : null;
      } catch {
        // the second way may read it
      }
    }
    return null;
  }

  // text: a config.json. Returns {fields} for cabe.writeShape, or {faults}: {key, what, wanted} each, all that were found.
  cabe.readConfig = function (text) {
    const { common, types, parts, of_the_part } = cabe.facts.configs;
    const whole = parsed(text);
    if (!whole) return { faults: [{ key: "", what: "text" }] };
    const place = parts.find((part) => isObject(whole[part]));
    const around = whole.model_type;
    const named = place && whole[place].model_type;
    const says = named && (typeof named !== "object" || Object.keys(named).length); // an empty list says nothing
    const type = says ? named : place ? (of_the_part[around] ?? around) : around;
    let kind = Object.hasOwn(types, type) && types[type];
    if (!kind) return { faults: [{ key: "model_type", what: type ? "unknown" : "missing", wanted: typeof type === "string" ? type.slice(0, 40) : "?" }] };
    const config = reader(whole, place);
    const turned = Object.entries(kind.turns ?? {}).find(([name]) => config.value([name])?.value === true);
    if (turned) kind = types[turned[1]];
    const architecture = (place && kind.beside_towers) || kind.architecture;
    if (!Object.hasOwn(cabe.facts.architectures, architecture)) config.tell("model_type", "unknown", architecture);
    require(config, kind);
    const made = {};
    for (const [field, way] of Object.entries({ ...common, ...kind.fields })) made[field] = take(config, made, way);
    if (config.faults.length) return { faults: config.faults };
    const stated = Object.entries(made).filter(([, value]) => value !== null);
    const fields = { ...cabe.facts.shape.defaults, architecture, ...Object.fromEntries(stated.map(([field, value]) => [field, Number(value)])) };
    const odd = cabe.atOdds(fields);
    return odd.length ? { faults: odd.map((key) => ({ key, what: "odds" })) } : { fields };
  };
})();
