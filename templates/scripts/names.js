"use strict";
// Models and devices as people type them: a name, an id, or the beginning of one alone, whatever the case and the signs.
globalThis.cabe ??= {};

cabe.alike = (text) => text.toLowerCase().normalize("NFD").replace(/[^a-z0-9]/g, "");

cabe.named = {}; // by kind, {id, typed: [its spellings]}: made once, since every key asks

// kind: "model" or "device". Returns an id, "" where nothing is typed, or undefined where it is none, or could be several.
cabe.findName = function (kind, text) {
  const { models, devices } = cabe.facts;
  const rows = { model: () => Object.entries(models.rows).map(([id, [name]]) => [id, name]), device: () => Object.entries(devices).map(([id, { name }]) => [id, name]) };
  cabe.named[kind] ??= rows[kind]().map((spellings) => ({ id: spellings[0], typed: spellings.map(cabe.alike) }));
  if (!text.trim()) return "";
  const wanted = cabe.alike(text);
  if (!wanted) return undefined;
  const exact = cabe.named[kind].find(({ typed }) => typed.includes(wanted));
  const near = cabe.named[kind].filter(({ typed }) => typed.some((one) => one.startsWith(wanted)));
  return (exact ?? (near.length === 1 ? near[0] : undefined))?.id;
};
