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
    const { gui } = viewer.meshcat;
    this.part("tree-section").append(gui.domElement);
    gui.open();
    gui.domElement.querySelector(".close-button")?.remove();
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
    this.part("less").addEventListener("click", () => this.less());
    Footfall.keys.add("This page", "V", "show and hide the settings of the view", () => this.less());
    if (window.innerWidth < Math.min(620, window.innerHeight)) this.less(); // a phone held upright
    this.part("dark").addEventListener("click", () => this.dark());
    Footfall.keys.add("This page", "D", "dark or light", () => this.dark());
    this.dark(Footfall.Panel.remembered());
    this.part("home").addEventListener("click", () => viewer.home());
    Footfall.keys.add("View", "R", "see everything from the default side", () => viewer.home());
    this.part("fold").addEventListener("click", () => Footfall.fold());
    Footfall.keys.add("This page", "P", "show and hide the panel at the side", () => Footfall.fold());
    this.part("picture").addEventListener("click", () => this.picture());
    Footfall.keys.add("View", "I", "save a picture of what is seen", () => this.picture());
    Footfall.keys.note("View", "Drag the ground", "turn; with the right button or two fingers: shift");
    Footfall.keys.note("View", "Scroll, pinch", "nearer and further away");
  }

  /** Show or hide the settings of the view. */
  less(shown = this.part("view").hidden) {
    this.part("view").hidden = !shown;
    this.part("less").setAttribute("aria-expanded", shown);
  }

  /** Be dark or light, and remember it. */
  dark(on = !document.body.classList.contains("dark")) {
    document.body.classList.toggle("dark", on);
    this.part("dark").setAttribute("aria-pressed", on);
    this.viewer.look.dark(on);
    for (const ground of this.viewer.grounds) ground.dark(on);
    this.viewer.redraw();
    try {
      localStorage.setItem("footfall dark", on);
    } catch {
      // a browser may forbid it
    }
  }

  /** Whether it was dark last; at first as the system is. */
  static remembered() {
    try {
      const last = localStorage.getItem("footfall dark");
      return last === null ? matchMedia("(prefers-color-scheme: dark)").matches : last === "true";
    } catch {
      return false;
    }
  }

  /** Save what is seen, without the panels. */
  picture() {
    const { viewer } = this;
    const address = viewer.picture(viewer.frame, 0, "image/png");
    Footfall.save(address, `${viewer.header.title}_${viewer.frame.time.toFixed(3)}s.png`);
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
    Footfall.write(this.part("time"), "textContent", `${time.toFixed(3)} s`);
    if (!this.live) Footfall.write(this.part("rate"), "textContent", rate === null ? "" : `${rate.toFixed(2)} × real time`);
  }

  /** Show what a live run tells of its pace, instead of what the frames let one guess. */
  told({ playing, ended, rate, speed, behind }) {
    this.live = true;
    const factor = `${rate.toFixed(2)} ×`;
    const wanted = speed === 1 ? "real time" : `${speed} ×`;
    const late = rate < speed ? "cannot keep" : "catching up with";
    const going = behind ? `${factor}: ${late} ${wanted}` : `${factor} real time`;
    Footfall.write(this.part("rate"), "textContent", ended ? "ended" : playing ? going : "paused");
    this.part("rate").classList.toggle("behind", playing && behind && !ended);
  }
};

/** Show or hide the panel at the side. */
Footfall.fold = function (shown = document.getElementById("side").hidden) {
  const [side, button] = ["side", "fold"].map((id) => document.getElementById(id));
  side.hidden = !shown;
  for (const name of ["aria-expanded", "aria-pressed"]) button.setAttribute(name, shown);
  side.dispatchEvent(new Event("toggle"));
};

/** Let the browser save what lies at an address as a file. */
Footfall.save = function (address, name) {
  const link = document.createElement("a");
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.href = address;
  link.click();
};

/** Set a property of an element to a text, if it is another: writing alone has the page painted anew. */
Footfall.write = function (element, property, text) {
  if (element[property] !== text) element[property] = text;
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
