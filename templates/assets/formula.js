"use strict";
// Evaluates the trees of data/formulas.yaml. The same tree in the same order in Python gives the same double, to the last bit.
globalThis.cabe ??= {};

cabe.operators = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  max: (...values) => values.reduce((a, b) => (a > b || Number.isNaN(a) ? a : b)),
  min: (...values) => values.reduce((a, b) => (a < b || Number.isNaN(a) ? a : b)),
  ceil: Math.ceil,
  neg: (a) => -a,
};

// tree: a name, a number, or [operator, …trees]; values: a number for every name.
cabe.value = function (tree, values) {
  if (typeof tree === "string") return values[tree];
  if (typeof tree === "number") return tree;
  const [operator, ...children] = tree;
  return cabe.operators[operator](...children.map((child) => cabe.value(child, values)));
};

// formulas: {name: tree} in order; each may use the inputs and the formulas before it. Returns inputs and results.
cabe.evaluate = function (formulas, inputs) {
  const values = { ...inputs };
  for (const [name, tree] of Object.entries(formulas)) values[name] = cabe.value(tree, values);
  return values;
};
