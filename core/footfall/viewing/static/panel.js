"use strict";

/** The overlay: title, time, real-time factor, and what the user can switch. */
Footfall.Panel = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.part = (id) => document.getElementById(id);
    document.title = `${viewer.header.title} - Footfall`;
    this.part("title").textContent = viewer.header.title;
    const metres = (length) => `${Number(length.toPrecision(2))} m`;
    this.part("scale").textContent = `grid ${metres(viewer.cell)}`;
    const weight = `${viewer.header.weight.toFixed(viewer.header.weight < 100 ? 1 : 0)} N`;
    this.part("forces").title = `key F; the weight of everything, ${weight}, is ${metres(viewer.reach)} long`;
    this.listen();
  }

  listen() {
    const viewer = this.viewer;
    const follow = this.part("follow");
    for (const [value, label] of viewer.followable()) follow.add(new Option(label, value));
    follow.addEventListener("change", () => viewer.follow(follow.value, true));
    this.part("forces").addEventListener("click", () => viewer.toggleForces());
    this.part("shadows").addEventListener("click", () => viewer.toggleShadows());
    this.part("home").addEventListener("click", () => viewer.home());
    const keys = { f: () => viewer.toggleForces(), s: () => viewer.toggleShadows(), r: () => viewer.home() };
    window.addEventListener("keydown", (event) => {
      const act = keys[event.key.toLowerCase()];
      const typing = /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range";
      if (act && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) act();
    });
  }

  /** Show the switches as they are. */
  refresh() {
    this.part("forces").setAttribute("aria-pressed", this.viewer.arrows.visible);
    this.part("shadows").setAttribute("aria-pressed", this.viewer.look.shadows);
    this.part("follow").value = this.viewer.followed;
  }

  /** Show simulated time [s] and simulated seconds a second (null: not known). */
  time(time, rate) {
    this.part("time").textContent = `${time.toFixed(3)} s`;
    this.part("rate").textContent = rate === null ? "" : `${rate.toFixed(2)} × real time`;
  }
};

/** Show a line about the page's source; nothing when all is well. */
Footfall.status = function (text) {
  document.getElementById("status").textContent = text;
  document.getElementById("status").hidden = !text;
};

/** Say in the page why there is nothing to see. */
Footfall.explain = function (error) {
  document.getElementById("title").textContent = "This scene cannot be shown";
  Footfall.status(String(error.message || error));
  throw error;
};
