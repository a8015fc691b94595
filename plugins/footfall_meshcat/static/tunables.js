"use strict";

/** A slider and a number for everything that can be changed while the simulation runs. */
Footfall.Tunables = class {
  constructor(live) {
    this.live = live;
    this.list = document.getElementById("tunables");
    this.sought = document.getElementById("sought");
    this.sought.addEventListener("input", () => this.seek());
    this.rows = new Map(); // by path
    this.known = "";
  }

  /** Show the values that the run says. */
  status({ tunables }) {
    const known = JSON.stringify(tunables.map(({ path, low, high, label }) => [path, low, high, label]));
    if (known !== this.known) this.build(tunables);
    this.known = known;
    for (const { path, value } of tunables) this.rows.get(path).show(value);
  }

  build(tunables) {
    this.rows = new Map(tunables.map((one) => [one.path, new Footfall.Tunable(one, (message) => this.live.send(message))]));
    this.list.replaceChildren(...[...this.rows.values()].map((row) => row.element));
    this.sought.hidden = tunables.length < 9;
    document.getElementById("tunables-section").hidden = !tunables.length;
    this.seek();
  }

  /** Show those with the words that are sought. */
  seek() {
    const words = this.sought.hidden ? [] : this.sought.value.toLowerCase().split(/\s+/);
    for (const { element } of this.rows.values()) {
      const text = element.textContent.toLowerCase() + element.title.toLowerCase();
      element.hidden = !words.every((word) => text.includes(word));
    }
  }
};

/** One of them. */
Footfall.Tunable = class {
  constructor({ path, low, high, unit, label, logarithmic }, send) {
    Object.assign(this, { path, low, high, send });
    // A logarithmic slider that starts at 0 covers five decades above it.
    this.least = low > 0 ? low : 1e-5 * high;
    this.logarithmic = logarithmic && high > 0;
    this.element = document.createElement("div");
    this.element.className = "tunable";
    this.element.title = path;
    const name = document.createElement("span");
    name.textContent = label;
    this.number = this.input("number", `${label}, value`, { step: "any" });
    const measure = document.createElement("span");
    measure.className = "unit";
    measure.textContent = unit === "-" ? "" : unit;
    this.slider = this.input("range", label, { min: 0, max: 1000, step: 1 });
    this.element.append(name, this.number, measure, this.slider);
    this.asked = new Footfall.Newest(50, (value) => send({ type: "tune", path, value }));
    this.listen();
  }

  input(type, label, attributes) {
    const input = document.createElement("input");
    Object.assign(input, { type, ...attributes });
    input.setAttribute("aria-label", label);
    return input;
  }

  listen() {
    this.slider.addEventListener("input", () => {
      this.last = performance.now();
      const value = this.valueAt(this.slider.value / 1000);
      this.number.value = value;
      this.asked.give(value);
    });
    this.number.addEventListener("change", () => {
      if (this.number.value !== "") this.asked.give(Number(this.number.value));
    });
  }

  /** The value at a fraction of the slider, to three digits. */
  valueAt(fraction) {
    const { low, high, least } = this;
    if (fraction === 0) return low;
    const value = this.logarithmic ? least * (high / least) ** fraction : low + fraction * (high - low);
    return Number(value.toPrecision(3));
  }

  fractionOf(value) {
    const { low, high, least } = this;
    if (!this.logarithmic) return (value - low) / (high - low);
    return value <= least ? 0 : Math.log(value / least) / Math.log(high / least);
  }

  /** Show a value, unless the user is just choosing another. */
  show(value) {
    if (performance.now() - (this.last ?? -Infinity) < 1000) return;
    if (document.activeElement !== this.number) this.number.value = Number(value.toPrecision(6));
    this.slider.value = 1000 * Math.min(Math.max(this.fractionOf(value), 0), 1);
  }
};
