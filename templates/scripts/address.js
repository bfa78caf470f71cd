"use strict";
// The state of a page in its address, as name=value pairs after the #: a link, a reload and another language give the same.
globalThis.cabe ??= {};

// stated: () → {name: text} of what is not as at first. read: takes the pairs of an address, at the start and when it changes.
// Returns a function that writes the address once nothing has changed for a moment.
cabe.address = function (stated, read) {
  const KEEP_AFTER = 150; // milliseconds: the address is slow to write
  let resting = 0;
  let followed = false; // whether a state was read: going back to the plain address then ends it
  const text = () => new URLSearchParams(stated()).toString().replaceAll("%2C", ",");

  function write() {
    try {
      history.replaceState(null, "", text() ? "#" + text() : location.href.split("#")[0]);
    } catch {
      // a browser may limit how often; the next change tries again
    }
  }

  function readAddress() {
    const states = location.hash.includes("="); // else it is a section of the page
    if (states || (followed && !location.hash)) read(new URLSearchParams(location.hash.slice(1)));
    followed ||= states;
  }

  // After site.js, which keeps the section.
  function follow(event) {
    const anchor = event.target.closest(".languages a");
    if (anchor && text()) anchor.hash = text();
  }

  for (const kind of ["click", "auxclick"]) document.addEventListener(kind, follow, { capture: true });
  addEventListener("hashchange", readAddress);
  readAddress();
  return () => {
    clearTimeout(resting);
    resting = setTimeout(write, KEEP_AFTER);
  };
};
