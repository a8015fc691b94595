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
    follow.addEventListener("change", () => viewer.follow(follow.value, viewer.camera.target));
    const keys = { forces: "F", com: "M", collision: "C", frames: "X", shadows: "S" };
    for (const [name, key] of Object.entries(keys)) {
      const button = this.part(name);
      button.title ||= `key ${key}`;
      button.addEventListener("click", () => viewer.toggle(name));
      Footfall.keys.add("View", key, button.textContent.toLowerCase(), () => viewer.toggle(name));
    }
    this.part("home").addEventListener("click", () => viewer.home());
    Footfall.keys.add("View", "R", "see everything from the default side", () => viewer.home());
    Footfall.keys.note("View", "Drag the ground", "turn; with the right button or two fingers: shift");
    Footfall.keys.note("View", "Scroll, pinch", "nearer and further away");
  }

  /** Show the switches as they are. */
  refresh() {
    const viewer = this.viewer;
    for (const [name, shown] of Object.entries(viewer.switches)) {
      this.part(name).setAttribute("aria-pressed", shown.visible);
    }
    this.part("collision").disabled = !viewer.bodies.collision.exists;
    const follow = this.part("follow");
    follow.replaceChildren(...viewer.followable().map(([value, label]) => new Option(label, value)));
    follow.value = viewer.followed;
  }

  /** Show simulated time [s] and simulated seconds a second (null: not known). */
  time(time, rate) {
    this.part("time").textContent = `${time.toFixed(3)} s`;
    if (!this.live) this.part("rate").textContent = rate === null ? "" : `${rate.toFixed(2)} × real time`;
  }

  /** Show what a live run tells of its pace, instead of what the frames let one guess. */
  told({ playing, ended, rate, speed, behind }) {
    this.live = true;
    const factor = `${rate.toFixed(2)} ×`;
    const wanted = speed === 1 ? "real time" : `${speed} ×`;
    const late = rate < speed ? "cannot keep" : "catching up with";
    const going = behind ? `${factor}: ${late} ${wanted}` : `${factor} real time`;
    this.part("rate").textContent = ended ? "ended" : playing ? going : "paused";
    this.part("rate").classList.toggle("behind", playing && behind && !ended);
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
