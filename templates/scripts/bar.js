"use strict";
// The bar of cabe/charts/share.py, moved: parts one after another, a part too thin to see gets two pixels.
globalThis.cabe ??= {};

// within: the node that holds the blocks; amounts: {part: bytes}; top: the bytes of the whole width. Returns bytes → percent.
cabe.moveBlocks = function (within, amounts, top) {
  const percent = (value) => Math.round((value / top) * 1e5) / 1e3;
  let sum = 0;
  let shift = 0;
  for (const [part, amount] of Object.entries(amounts)) {
    const block = within.querySelector(`[data-block="${part}"]`);
    const width = percent(amount);
    const thin = width > 0 && width < 0.8;
    block.toggleAttribute("hidden", width === 0);
    block.setAttribute("x", percent(sum) + "%");
    block.setAttribute("width", thin ? "2px" : width + "%");
    block.setAttribute("transform", `translate(${shift} 0)`);
    if (thin) shift += 2;
    else sum += amount;
  }
  return percent;
};
