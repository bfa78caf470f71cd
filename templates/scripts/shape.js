"use strict";
// What a model is to the formulas: a row of the facts, or a shape in one line, `architecture=llama,hidden_size=4096,…`, as
// cabe/facts/shape_text.py reads it.
globalThis.cabe ??= {};

const KINDS = {
  whole: (text) => (/^\d+$/.test(text) && Number(text) >= 1 ? Number(text) : undefined),
  count: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  flag: (text) => (text === "true" ? 1 : text === "false" ? 0 : undefined),
  share: (text) => (/^\d*\.?\d+$/.test(text) && Number(text) > 0 && Number(text) <= 1 ? Number(text) : undefined),
  name: (text) => (Object.hasOwn(cabe.facts.architectures, text) ? text : undefined),
};

// {fields, wrong}: numbers by field, flags as 0 or 1, and the fields that are missing, unknown or at odds.
cabe.readShape = function (text) {
  const { kinds, defaults } = cabe.facts.shape;
  const pairs = text.split(",").map((pair) => [pair.split("=", 1)[0].trim(), pair.slice(pair.indexOf("=") + 1).trim()]);
  const stated = new Map(pairs);
  const fields = Object.fromEntries(Object.entries(kinds).map(([field, kind]) => [field, stated.has(field) ? KINDS[kind](stated.get(field)) : defaults[field]]));
  const wrong = Object.keys(fields).filter((field) => fields[field] === undefined || fields[field] > cabe.facts.shape.most);
  wrong.push(...[...stated.keys()].filter((field) => !Object.hasOwn(kinds, field)), ...(stated.size < pairs.length ? ["twice"] : []));
  return { fields, wrong: wrong.length ? wrong : cabe.atOdds(fields) };
};

// The line for some fields; what has its default is left out.
cabe.writeShape = function (fields) {
  const { kinds, defaults } = cabe.facts.shape;
  const said = (kind, value) => (kind === "flag" ? Boolean(value) : kind === "share" ? Number(value.toPrecision(12)) : value);
  const stated = Object.entries(kinds).filter(([field]) => fields[field] !== undefined && fields[field] !== defaults[field]);
  return stated.map(([field, kind]) => `${field}=${said(kind, fields[field])}`).join(",");
};

// Fields that cannot stand beside the others, by the tables and rules of cabe/facts/contradictions.py.
cabe.atOdds = function (fields) {
  const { needs, served, counted, exclusive } = cabe.facts.shape;
  const layers = fields.num_layers;
  const found = Object.entries(needs).flatMap(([field, others]) => (fields[field] ? others.filter((other) => !fields[other]) : []));
  found.push(...Object.keys(served).filter((few) => fields[few] && fields[served[few]] % fields[few]));
  found.push(...counted.filter((field) => fields[field] > layers));
  found.push(...exclusive.filter((kinds) => kinds.reduce((sum, field) => sum + fields[field], 0) > layers).map(([first]) => first));
  if (fields.first_expert_layer + fields.expert_layers > layers) found.push("first_expert_layer");
  if (fields.first_attention_layer > fields.linear_layers + fields.conv_layers) found.push("first_attention_layer");
  const ofWindow = fields.kv_shared_layers - fields.kv_shared_global_layers;
  const without = (shared, own) => shared > 0 && 0 <= own && own <= shared;
  if (ofWindow < 0) found.push("kv_shared_global_layers");
  if (fields.kv_shared_layers >= layers || without(fields.kv_shared_global_layers, fields.global_layers) || without(ofWindow, layers - fields.global_layers)) found.push("kv_shared_layers");
  if (fields.rotary_share > 1) found.push("rotary_share");
  if (fields.experts_per_token > fields.experts) found.push("experts_per_token");
  if (!fields.intermediate_size && layers > fields.expert_layers) found.push("intermediate_size");
  return [...new Set(found)];
};

// The fields of a model of the facts, so that another can be made of it; undefined for another name.
cabe.fieldsOf = function (model) {
  if (model.includes("=")) return cabe.ownShape(model) && cabe.readShape(model).fields;
  const shape = cabe.shape(model);
  const { inputs, defaults } = cabe.facts.shape;
  const own = shape && Object.fromEntries(Object.entries(inputs).map(([input, field]) => [field, shape[input]]));
  return own && { ...defaults, ...own, architecture: cabe.facts.models.rows[model][2], max_context: cabe.context(model) };
};

// Tokens that a model reads.
cabe.context = (model) => (Object.hasOwn(cabe.facts.models.rows, model) ? cabe.facts.models.rows[model][1] : undefined) ?? cabe.readShape(model).fields.max_context;

// The numbers of a model, by input of the formulas; undefined for a name or a shape that is none.
cabe.shape = function (model) {
  const { columns, zeros, rows } = cabe.facts.models;
  const row = Object.hasOwn(rows, model) && rows[model];
  if (!row) return model?.includes("=") ? cabe.ownShape(model) : undefined;
  const own = Object.fromEntries(columns.map((name, place) => [name, row[place + 3]]));
  return { ...zeros, ...cabe.facts.architectures[row[2]], ...own };
};

const counted = new Map(); // the last shape: its parameters are counted once, and asked for at every key

// A shape in one line as numbers, its parameters counted by the formulas; undefined where it is none.
cabe.ownShape = function (text) {
  if (counted.has(text)) return counted.get(text);
  const { fields, wrong } = cabe.readShape(text);
  const { inputs, most_params } = cabe.facts.shape;
  counted.clear();
  counted.set(text, undefined);
  if (wrong.length) return undefined;
  const own = Object.fromEntries(Object.entries(inputs).map(([input, field]) => [input, fields[field]]));
  const { zeros, columns } = cabe.facts.models;
  const none = { ...zeros, ...Object.fromEntries(columns.map((name) => [name, 0])) };
  const shape = { ...none, ...cabe.facts.architectures[fields.architecture], ...own, params: 1 };
  const params = cabe.compute(cabe.facts.formulas.step, cabe.inputs(cabe.filled({ method: "full" }), shape))("model_params");
  if (params <= most_params) counted.set(text, { ...shape, params });
  return counted.get(text);
};
