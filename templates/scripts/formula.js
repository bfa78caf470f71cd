"use strict";
// Evaluates the trees of data/formulas.yaml. The same tree in the same order in Python gives the same double, to the last bit.
globalThis.cabe ??= {};

const larger = (a, b) => (a > b || a !== a || b === undefined ? a : b); // what is no number stays none
const smaller = (a, b) => (a < b || a !== a || b === undefined ? a : b);

cabe.operators = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  max: (a, b, ...more) => more.reduce(larger, larger(a, b)),
  min: (a, b, ...more) => more.reduce(smaller, smaller(a, b)),
  ceil: Math.ceil,
  neg: (a) => -a,
};

// tree: a name, a number, or [operator, …trees], as a function of values by place; place: name → its place.
cabe.compiled = function (tree, place) {
  if (typeof tree === "number") return () => tree;
  if (typeof tree === "string") {
    const at = place(tree);
    return (values) => values[at];
  }
  const operate = cabe.operators[tree[0]];
  const [first, second, ...more] = tree.slice(1).map((one) => cabe.compiled(one, place));
  if (!second) return (values) => operate(first(values));
  if (!more.length) return (values) => operate(first(values), second(values));
  return (values) => operate(first(values), second(values), ...more.map((one) => one(values)));
};

// A group of formulas made ready: where each number stands, what it takes from outside, and its steps in order.
cabe.prepared = function (formulas) {
  const places = new Map();
  const place = (name) => {
    if (!places.has(name)) places.set(name, places.size);
    return places.get(name);
  };
  const steps = Object.entries(formulas).map(([name, tree]) => ({ name, value: cabe.compiled(tree, place), at: place(name) }));
  const taken = [...places].filter(([name]) => !(name in formulas));
  return { places, taken, steps, size: places.size };
};

cabe.groups = new WeakMap(); // (a key press asks for dozens of estimates; walking the trees each time takes several times as long)

// formulas: {name: tree} in order; each may use the inputs and the formulas before it. input: a name → its number. Returns the same
// for inputs and results: of hundreds of numbers few are asked for.
cabe.compute = function (formulas, input) {
  if (!cabe.groups.has(formulas)) cabe.groups.set(formulas, cabe.prepared(formulas));
  const { places, taken, steps, size } = cabe.groups.get(formulas);
  const values = new Float64Array(size);
  for (const [name, at] of taken) values[at] = input(name);
  for (const { value, at } of steps) values[at] = value(values);
  return (name) => (places.has(name) ? values[places.get(name)] : input(name));
};

// The same with objects: {name: number} in, inputs and results out.
cabe.evaluate = function (formulas, inputs) {
  const computed = cabe.compute(formulas, (name) => inputs[name]);
  return { ...inputs, ...Object.fromEntries(Object.keys(formulas).map((name) => [name, computed(name)])) };
};
