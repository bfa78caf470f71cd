"use strict";
// Questions the other way round, as in cabe/memory/questions.py: the longest sequence that fits, and what to change.
globalThis.cabe ??= {};

// The longest sequence whose verdict is "fits", 0 where none is. Memory grows with the length nearly in a straight line, so a line
// between the two ends finds it in a few estimates.
cabe.longest = function (setup, shape, usable) {
  const peak = (seq) => cabe.estimate({ ...setup, seq }, shape).peak;
  const { verdicts } = cabe.facts;
  const fits = (bytes) => cabe.verdict(bytes, usable) === "fits";
  let low = { seq: Math.max(1, Number(setup.prompt ?? 1)) };
  low.peak = peak(low.seq);
  let high = { seq: Math.max(low.seq, cabe.context(setup.model)) };
  high.peak = peak(high.seq);
  if (!fits(low.peak)) return 0;
  if (fits(high.peak)) return high.seq;
  for (let turn = 1; high.seq - low.seq > 1; turn++) {
    const part = turn % 3 ? (verdicts.fits * usable - low.peak) / (high.peak - low.peak) : 0.5; // curves need halving
    const seq = Math.min(Math.max(low.seq + Math.floor(part * (high.seq - low.seq)), low.seq + 1), high.seq - 1);
    const middle = { seq, peak: peak(seq) };
    if (fits(middle.peak)) low = middle;
    else high = middle;
  }
  return low.seq;
};

// What is wrong with adapters that a model has no place for: "nothing_trained", "gate_with_up" or nothing.
cabe.untrained = function (values) {
  if (values("trains_all") || values("infers")) return "";
  if (values("trainable_params") === 0) return "nothing_trained";
  const stacks = values("expert_layers") && values("stacks_rewritten") && !(values("expert_modules") && values("loops"));
  return stacks && values("target_gate") !== values("target_up") ? "gate_with_up" : "";
};

// Rules that a set-up breaks: {id, option}, the option being to blame.
cabe.conflicts = function (options) {
  const found = cabe.facts.conflicts.filter(({ when }) => cabe.holds(when, options));
  return Number(options.prompt) > Number(options.seq) ? [...found, { id: "long-prompt", option: "prompt" }] : found;
};

// [id, {option: value}] of what may help: the changes of the facts, half the length, and the next step of sharing the model out.
cabe.changes = function ({ gpus, sharding, seq, ...rest }) {
  const { changes, options } = cabe.facts;
  const found = changes.filter(({ when }) => cabe.holds(when, { gpus, sharding, seq, ...rest })).map(({ id, to }) => [id, to]);
  if (Number(seq) > 1) found.push(["half-length", { seq: Math.floor(seq / 2) }]);
  const shares = options.sharding[sharding].shards_weights;
  found.push(["share-out", Number(gpus) === 1 ? { gpus: 2, sharding: "fsdp" } : shares ? { gpus: 2 * gpus } : { sharding: "fsdp" }]);
  return found;
};

// Every change that the other options allow and that lowers the peak, the most helpful first: {id, to, peak, frees}.
// made: the estimate of the set-up; changed: a change → the set-up with it, or nothing where it cannot be made.
cabe.suggestions = function (made, shape, changed) {
  const found = [];
  for (const [id, to] of cabe.changes(made.options)) {
    const setup = changed(to);
    if (!setup || cabe.conflicts(cabe.filled(setup)).length) continue;
    const { peak, values } = cabe.estimate(setup, shape);
    if (peak < made.peak && !cabe.untrained(values)) found.push({ id, to, peak, frees: made.peak - peak });
  }
  return found.sort((one, other) => other.frees - one.frees);
};
