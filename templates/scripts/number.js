"use strict";
// Numbers that people type and numbers that we write, in every language alike, and the sentences that they stand in.
globalThis.cabe ??= {};

// A sentence with its {names} filled in.
cabe.fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Reads 1,5 and 1.5 as one and a half. Returns {value}, or {error}: "empty", "groups" (1.234,5 could mean two numbers) or "text".
cabe.readNumber = function (text) {
  const plain = text.trim();
  if (plain === "") return { error: "empty" };
  if (/^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(plain)) return { value: Number(plain.replace(",", ".")) };
  return { error: /^[+-]?[\d.,\s\u00a0\u202f'’]+$/.test(plain) && /\d/.test(plain) ? "groups" : "text" };
};

// Writes a number with 3 significant digits and at most 2 decimals, as the tables do: toFixed rounds the exact value half up.
cabe.writeNumber = function (value, signs) {
  const size = Math.abs(value);
  const [whole, decimals = ""] = value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0).split(".");
  const kept = decimals.replace(/0+$/, "");
  if (value > 0 && whole === "0" && kept === "") return "<0" + signs.decimal + "01";
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, signs.group);
  return kept ? grouped + signs.decimal + kept : grouped;
};
