"use strict";

/** A slider and a number for each setting that can change while the simulation runs, in groups. */
Footfall.Tunables = class {
  constructor(live) {
    this.live = live;
    this.list = document.getElementById("tunables");
    this.sought = document.getElementById("sought");
    this.sought.addEventListener("input", () => this.seek());
    this.all = document.getElementById("reset-all");
    this.all.addEventListener("click", () => this.reset([...this.rows.values()]));
    this.rows = new Map(); // by path
    this.groups = new Map(); // from a name to { element, rows, reset }
    this.starts = new Map(); // from a path to the initial value
    this.opened = new Map(); // from a group's name to whether the user has opened it
    this.known = "";
  }

  /** Show the values of the run's status. */
  status({ tunables }) {
    const known = JSON.stringify(tunables.map(({ path, low, high, label }) => [path, low, high, label]));
    if (known !== this.known) this.build(tunables);
    this.known = known;
    for (const { path, value } of tunables) this.rows.get(path).show(value);
    for (const { rows, reset } of this.groups.values()) reset.hidden = !rows.some((row) => row.changed);
    this.all.hidden = ![...this.rows.values()].some((row) => row.changed);
  }

  build(tunables) {
    for (const { path, value, start } of tunables) if (!this.starts.has(path)) this.starts.set(path, start ?? value);
    const send = (message) => this.live.send(message);
    const row = (one) => new Footfall.Tunable({ ...one, unit: this.unit(one) }, this.starts.get(one.path), send);
    this.rows = new Map(tunables.map((one) => [one.path, row(one)]));
    const named = new Map();
    for (const row of this.rows.values()) named.set(row.group, [...(named.get(row.group) || []), row]);
    this.groups = new Map([...named].map(([name, rows]) => [name, this.group(name, rows, tunables.length)]));
    this.list.replaceChildren(...[...this.groups.values()].map(({ element }) => element));
    this.sought.parentElement.hidden = tunables.length < 9;
    document.getElementById("tunables-section").hidden = !tunables.length;
    this.seek();
  }

  /** The unit of a setting; if its joints all turn, or all slide, their unit. Its label is `BODY: NAME PATTERN`. */
  unit({ label, unit }) {
    const [body, name = ""] = label.split(": ");
    const letters = { "*": ".*", "?": "." };
    const pattern = (name.split(" ")[1] || "*").replace(/[^\w/]/g, (letter) => letters[letter] || `\\${letter}`);
    const joints = new RegExp(`^${body.replace(/[^\w/]/g, "\\$&")}/${pattern}$`);
    return Footfall.unitOfJoints(this.live.viewer.header, unit, (joint) => joints.test(joint));
  }

  /** The settings of one owner; if there are many groups, they are initially folded. */
  group(name, rows, count) {
    const [element, head, label, reset] = ["details", "summary", "span", "button"].map((tag) => document.createElement(tag));
    [element.className, label.textContent] = ["tuned", name];
    Object.assign(reset, { type: "button", textContent: "Reset", hidden: true, title: `${name}: reset all to the initial values` });
    reset.setAttribute("aria-label", `reset ${name}`);
    reset.addEventListener("click", (event) => {
      event.preventDefault(); // do not fold the group
      this.reset(rows);
    });
    head.append(label, reset);
    element.append(head, ...rows.map((row) => row.element));
    element.open = this.opened.get(name) ?? count < 9;
    head.addEventListener("click", () => this.opened.set(name, !element.open));
    return { element, rows, reset };
  }

  /** Reset settings to their initial values. */
  reset(rows) {
    for (const row of rows) if (row.changed) row.reset();
  }

  /** Show the settings that contain the words in the field, and open their groups. */
  seek() {
    const words = this.sought.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [name, { element, rows }] of this.groups) {
      for (const row of rows) {
        const text = `${name} ${row.element.textContent} ${row.element.title}`.toLowerCase();
        row.element.hidden = !words.every((word) => text.includes(word));
      }
      element.hidden = rows.every((row) => row.element.hidden);
      if (words.length) element.open = !element.hidden;
      else if (this.searched) element.open = this.opened.get(name) ?? this.rows.size < 9;
    }
    this.searched = words.length > 0;
  }
};

/** One tunable setting; its label is `GROUP: NAME`. */
Footfall.Tunable = class {
  constructor({ path, low, high, unit, label, logarithmic }, start, send) {
    const [first, ...rest] = label.split(": ");
    [this.group, this.name] = rest.length ? [first, rest.join(": ")] : ["other", label];
    Object.assign(this, { path, low, high, start, value: start });
    // A logarithmic slider that starts at 0 covers five decades above it.
    this.least = low > 0 ? low : 1e-5 * high;
    this.logarithmic = logarithmic && high > 0;
    this.element = document.createElement("div");
    this.element.className = "tunable";
    this.element.title = path;
    const name = document.createElement("span");
    name.textContent = this.name;
    this.number = this.input("number", `${label}, value`, { step: "any" });
    const measure = document.createElement("span");
    measure.className = "unit";
    measure.textContent = unit === "-" ? "" : unit.replace("^2", "²");
    this.slider = this.input("range", label, { min: 0, max: 1000, step: 1 });
    this.back = document.createElement("button");
    Object.assign(this.back, { type: "button", textContent: "↺", title: `reset to the initial value ${this.text(start)}` });
    this.back.setAttribute("aria-label", `reset ${label}`);
    this.back.style.visibility = "hidden";
    this.element.append(name, this.number, measure, this.slider, this.back);
    this.asked = new Footfall.Newest(50, (value) => send({ type: "tune", path, value }));
    // A new gravity needs a new world: it is requested when the slider is released.
    this.settles = path.startsWith("world.gravity");
    this.listen();
  }

  input(type, label, attributes) {
    const input = document.createElement("input");
    Object.assign(input, { type, ...attributes });
    input.setAttribute("aria-label", label);
    return input;
  }

  listen() {
    this.slider.addEventListener("input", () => this.slide(!this.settles));
    this.slider.addEventListener("change", () => this.settles && this.slide(true));
    this.number.addEventListener("change", () => {
      if (this.number.value !== "") this.asked.give(Number(this.number.value));
    });
    this.back.addEventListener("click", () => this.reset());
  }

  slide(ask) {
    this.last = performance.now();
    const value = this.valueAt(this.slider.value / 1000);
    this.number.value = value;
    if (ask) this.asked.give(value);
  }

  /** Whether the value differs from the initial one. */
  get changed() {
    return this.value !== this.start;
  }

  reset() {
    this.asked.give(this.start);
  }

  text(value) {
    return `${Number(value.toPrecision(6))}`;
  }

  /** The value at a fraction of the slider, to three digits. */
  valueAt(fraction) {
    const { low, high, least } = this;
    if (fraction === 0) return low;
    const value = this.logarithmic ? least * (high / least) ** fraction : low + fraction * (high - low);
    const fine = Math.max(Math.abs(low), Math.abs(high)) / 1e3;
    return Math.abs(value) < fine / 2 ? 0 : Number(value.toPrecision(3));
  }

  fractionOf(value) {
    const { low, high, least } = this;
    if (!this.logarithmic) return (value - low) / (high - low);
    return value <= least ? 0 : Math.log(value / least) / Math.log(high / least);
  }

  /** Show a value, unless the user is choosing one at the moment. */
  show(value) {
    this.value = value;
    this.back.style.visibility = this.changed ? "visible" : "hidden";
    if (performance.now() - (this.last ?? -Infinity) < 1000) return;
    if (document.activeElement !== this.number) this.number.value = this.text(value);
    this.slider.value = 1000 * Math.min(Math.max(this.fractionOf(value), 0), 1);
  }
};
