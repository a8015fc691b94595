"use strict";

/** The overlay: title, time, real-time factor, and the user's switches. */
Footfall.Panel = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.part = (id) => document.getElementById(id);
    this.name();
    const metres = (length) => `${Number(length.toPrecision(2))} m`;
    this.part("scale").textContent = `grid ${metres(viewer.cell)}`;
    const weight = `${viewer.header.weight.toFixed(viewer.header.weight < 100 ? 1 : 0)} N`;
    this.part("forces").title = `key F; the total weight, ${weight}, is ${metres(viewer.reach)} long`;
    this.listen();
    this.grip = new Footfall.Grip();
    viewer.meshcat.gui.domElement.remove(); // this page has its own controls
    this.compact = matchMedia(Footfall.Panel.compact);
    this.compact.addEventListener("change", () => this.settle());
    this.settle();
  }

  /** Move the settings of the view to the side panel if there is little room. */
  settle() {
    const section = this.part("view-section");
    section.hidden = !this.compact.matches;
    if (this.compact.matches) section.append(this.part("view"));
    else this.part("clock").after(this.part("view"));
    this.less(true);
  }

  /** Show the scene's title. */
  name() {
    const { title } = this.viewer.header;
    document.title = `${title} - Footfall`;
    const parts = title.split(/(?<=\/)/); // a line may end after a slash
    this.part("title").replaceChildren(...parts.flatMap((part) => [part, document.createElement("wbr")]));
  }

  listen() {
    const viewer = this.viewer;
    const follow = this.part("follow");
    follow.addEventListener("change", () => viewer.follow(follow.value, viewer.camera.target));
    const keys = { forces: "F", points: "O", cones: "N", support: "U", com: "M", trail: "Z", rays: "B" };
    Object.assign(keys, { collision: "C", frames: "X", axes: "J", inertia: "Y", shadows: "S" });
    for (const [name, key] of Object.entries(keys)) {
      const button = this.part(name);
      button.title ||= `key ${key}`;
      button.addEventListener("click", () => viewer.toggle(name));
      Footfall.keys.add("View", key, button.textContent.toLowerCase(), () => viewer.toggle(name));
    }
    this.part("stretch").addEventListener("input", () => this.stretch());
    this.part("quality").addEventListener("change", ({ target }) => viewer.quality.choose(target.value));
    this.part("less").addEventListener("click", () => this.view());
    Footfall.keys.add("This page", "V", "show and hide the settings of the view", () => this.view());
    this.part("dark").addEventListener("click", () => this.dark());
    Footfall.keys.add("This page", "D", "dark or light", () => this.dark());
    this.dark(Footfall.Panel.remembered());
    this.part("home").addEventListener("click", () => viewer.home());
    Footfall.keys.add("View", "R", "show everything from the default side", () => viewer.home());
    this.part("fold").addEventListener("click", () => Footfall.fold());
    Footfall.keys.add("This page", "P", "show and hide the panel at the side", () => Footfall.fold());
    this.part("picture").addEventListener("click", () => this.picture());
    Footfall.keys.add("View", "I", "save a picture of the view", () => this.picture());
    Footfall.keys.note("View", "Drag the ground", "turn the view; with the right button or two fingers: move it");
    Footfall.keys.note("View", "Scroll, pinch", "move nearer or further away");
  }

  /** Scale the arrows of forces by the slider: a tenth to ten times. */
  stretch() {
    const factor = 10 ** Number(this.part("stretch").value);
    this.part("stretched").textContent = `× ${Number(factor.toPrecision(2))}`;
    this.viewer.stretch(factor);
  }

  /** Show or hide the settings of the view, in either panel. */
  view() {
    const [side, section] = [this.part("side"), this.part("view-section")];
    if (!this.compact.matches) {
      this.less();
      return;
    }
    const shown = side.hidden || !section.open;
    section.open = shown;
    Footfall.fold(shown);
    this.part("less").setAttribute("aria-expanded", shown);
  }

  /** Show or hide the settings of the view in their own panel. */
  less(shown = this.part("view").hidden) {
    this.part("view").hidden = !shown;
    this.part("less").setAttribute("aria-expanded", shown);
  }

  /** Set the dark or light theme; a choice by button or key is remembered. */
  dark(on = null) {
    const chosen = on === null;
    if (chosen) on = !document.body.classList.contains("dark");
    document.body.classList.toggle("dark", on);
    this.part("dark").setAttribute("aria-pressed", on);
    this.viewer.look.dark(on);
    this.viewer.terrain.dark(on);
    this.viewer.redraw();
    if (!chosen) return;
    try {
      localStorage.setItem("footfall dark", on);
    } catch {
      // a browser may forbid it
    }
  }

  /** Whether the theme was dark last; by default the system's. */
  static remembered() {
    try {
      const last = localStorage.getItem("footfall dark");
      return last === null ? matchMedia("(prefers-color-scheme: dark)").matches : last === "true";
    } catch {
      return false;
    }
  }

  /** Save the view as a picture, without the panels. */
  picture() {
    const { viewer } = this;
    const address = viewer.picture(viewer.frame, 0, "image/png");
    Footfall.save(address, `${viewer.header.title}_${viewer.frame.time.toFixed(3)}s.png`);
  }

  /** Update the look of the switches. */
  refresh() {
    const viewer = this.viewer;
    for (const [name, shown] of Object.entries(viewer.switches)) {
      this.part(name).setAttribute("aria-pressed", shown.visible);
    }
    for (const [name, { exists = true }] of Object.entries(viewer.switches)) this.part(name).disabled = !exists;
    const { chosen, low } = viewer.quality;
    this.part("quality").value = chosen;
    this.part("quality").options[0].text = chosen === "auto" && low ? "automatic: low" : "automatic";
    const follow = this.part("follow");
    follow.replaceChildren(...viewer.followable().map(([value, label]) => new Option(label, value)));
    follow.value = viewer.followed;
  }

  /** Show simulated time [s] and simulated seconds per second (null: unknown). */
  time(time, rate) {
    Footfall.write(this.part("time"), "textContent", `${time.toFixed(3)} s`);
    if (!this.live) Footfall.write(this.part("rate"), "textContent", rate === null ? "" : `${rate.toFixed(2)} × real time`);
  }

  /** Show a live run's own pace instead of the one estimated from frames. */
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

/** Media query of windows whose side panel has the settings of the view. */
Footfall.Panel.compact = "(max-width: 900px), (max-height: 500px)";

/** Show or hide the panel at the side. */
Footfall.fold = function (shown = document.getElementById("side").hidden) {
  const [side, button] = ["side", "fold"].map((id) => document.getElementById(id));
  side.hidden = !shown;
  for (const name of ["aria-expanded", "aria-pressed"]) button.setAttribute(name, shown);
  side.dispatchEvent(new Event("toggle"));
};

/** The grip of a panel at the bottom: a press folds it, dragging changes its height. */
Footfall.Grip = class {
  constructor() {
    [this.side, this.grip] = ["side", "grip"].map((id) => document.getElementById(id));
    this.from = null; // { y, height } at the start of a press, [pixels]
    const on = (name, act) => this.grip.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", ({ clientY }) => this.from && this.height(this.from.height + this.from.y - clientY));
    on("pointerup", ({ clientY }) => this.leave(clientY));
    on("pointercancel", () => (this.from = null));
    on("click", ({ detail }) => detail === 0 && Footfall.fold(false)); // by a key
    on("keydown", (event) => this.key(event));
  }

  press({ pointerId, clientY }) {
    this.grip.setPointerCapture(pointerId);
    this.from = { y: clientY, height: this.side.offsetHeight };
  }

  /** Set the height, [pixels]. */
  height(pixels) {
    this.side.style.setProperty("--tall", `${Math.max(pixels, 40)}px`);
  }

  leave(y) {
    const from = this.from;
    this.from = null;
    if (!from) return;
    const low = from.height + from.y - y < 90;
    if (low || Math.abs(y - from.y) < 4) Footfall.fold(false);
    if (low) this.side.style.removeProperty("--tall");
  }

  key(event) {
    const way = { ArrowUp: 40, ArrowDown: -40 }[event.key];
    if (!way) return;
    event.preventDefault();
    this.height(this.side.offsetHeight + way);
  }
};

/** Let the browser save the data at an address as a file. */
Footfall.save = function (address, name) {
  const link = document.createElement("a");
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.href = address;
  link.click();
};

/** Set a property of an element only if it changes: each write repaints the page. */
Footfall.write = function (element, property, text) {
  if (element[property] !== text) element[property] = text;
};

/** Show a line about the page's source; hide it if the text is empty. */
Footfall.status = function (text) {
  document.getElementById("status").textContent = text;
  document.getElementById("status").hidden = !text;
};

/** Show in the page why the scene cannot be shown. */
Footfall.explain = function (error) {
  document.getElementById("title").textContent = "This scene cannot be shown";
  Footfall.status(String(error.message || error));
  throw error;
};
