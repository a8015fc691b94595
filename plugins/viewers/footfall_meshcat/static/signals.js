"use strict";

/**
 * The plotted signals: searched by name in one list, remembered for each scene.
 *
 * A source has `entries`, { name, unit, about } each, and `series(name)`, { times, values };
 * `choose(names)` selects its signals.
 */
Footfall.Signals = class {
  constructor(player, source) {
    Object.assign(this, { player, source });
    this.part = (id) => document.getElementById(id);
    this.chosen = new Map(); // from a name to { color, entry, output }
    this.lit = () => false; // whether a signal, by its name, belongs to the selected link
    this.plots = new Footfall.Plots(this.part("plots"), this);
    this.part("seek").addEventListener("input", () => this.offer());
    this.part("seek").addEventListener("focus", () => this.offer());
    this.part("seek").addEventListener("keydown", (event) => this.pick(event));
    this.part("csv").addEventListener("click", () => this.save());
    this.part("whole").addEventListener("click", () => this.plots.zoom(null));
    for (const id of ["plot-section", "side"]) this.part(id).addEventListener("toggle", () => this.redraw());
    player.watchers.push(() => this.plots.soon());
    this.remembered = Footfall.Signals.recall(player.viewer.header.title);
  }

  /** Take a new list of entries. */
  refresh() {
    for (const entry of this.source.entries) entry.unit = this.unit(entry);
    this.known = new Map(this.source.entries.map((entry) => [entry.name, entry]));
    for (const name of this.remembered.splice(0)) this.add(name);
    for (const name of [...this.chosen.keys()]) if (!this.known.has(name)) this.chosen.delete(name);
    this.legend();
    this.offer();
  }

  /** The unit of a signal; for a joint with `rad or m`, the right one of both. */
  unit({ name, unit }) {
    const label = /\[(.*)\]$/.exec(name)?.[1];
    const is = (full) => full === label || full.endsWith(`/${label}`);
    return Footfall.unitOfJoints(this.player.viewer.header, unit, is);
  }

  /** List the signals that contain the words in the field. */
  offer() {
    const words = this.part("seek").value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = [];
    for (const entry of words.length ? this.source.entries : []) {
      const text = `${entry.name} ${entry.about} ${entry.unit}`.toLowerCase();
      if (!this.chosen.has(entry.name) && words.every((word) => text.includes(word))) this.found.push(entry);
      if (this.found.length === Footfall.Signals.listed) break;
    }
    const rows = this.found.map((entry) => {
      const [row, button, unit] = ["li", "button", "span"].map((tag) => document.createElement(tag));
      Object.assign(button, { type: "button", textContent: entry.name, title: `${entry.name}: ${entry.about}` });
      button.addEventListener("click", () => this.add(entry.name));
      unit.textContent = entry.unit === "1" ? "" : entry.unit;
      unit.className = "unit";
      row.append(button, unit);
      return row;
    });
    this.part("found").replaceChildren(...rows);
    this.part("found").hidden = !rows.length;
  }

  /** Choose the first result on Return. */
  pick(event) {
    if (event.key === "Enter" && this.found.length) this.add(this.found[0].name);
    if (event.key !== "Escape") return;
    this.part("seek").value = "";
    this.offer();
  }

  add(name) {
    const entry = this.known.get(name);
    if (!entry || this.chosen.has(name) || this.chosen.size >= Footfall.Signals.colors.length) return;
    const used = new Set([...this.chosen.values()].map(({ color }) => color));
    this.chosen.set(name, { entry, color: Footfall.Signals.colors.find((one) => !used.has(one)) });
    this.changed();
  }

  remove(name) {
    this.chosen.delete(name);
    this.changed();
  }

  changed() {
    Footfall.Signals.recall(this.player.viewer.header.title, [...this.chosen.keys()]);
    this.source.choose([...this.chosen.keys()]);
    this.legend();
    this.offer();
    this.redraw();
  }

  legend() {
    const entries = [...this.chosen].map(([name, one]) => {
      const [item, mark, label, value, button] = ["li", "span", "span", "output", "button"].map((tag) => document.createElement(tag));
      mark.className = "mark";
      item.className = this.lit(name) ? "of" : "";
      mark.style.background = one.color;
      [label.textContent, label.title] = [name, `${name}: ${one.entry.about}`];
      Object.assign(button, { type: "button", textContent: "×", title: "remove" });
      button.setAttribute("aria-label", `remove ${name}`);
      button.addEventListener("click", () => this.remove(name));
      item.append(mark, label, value, button);
      one.output = value;
      return item;
    });
    this.part("legend").replaceChildren(...entries);
    this.part("csv").disabled = this.part("whole").disabled = !entries.length;
  }

  /** Show the values at a time, [s]. */
  tell(time, series) {
    for (const [name, { output, entry }] of this.chosen) {
      const { times, values } = series.get(name);
      const value = values[Footfall.last(times, time)];
      const unit = entry.unit === "1" ? "" : ` ${entry.unit}`;
      Footfall.write(output, "textContent", Number.isFinite(value) ? `${Number(value.toPrecision(4))}${unit}` : "");
    }
  }

  get seen() {
    return this.part("plot-section").open && !this.part("side").hidden;
  }

  redraw() {
    if (this.seen) this.plots.draw();
  }

  /** Save the visible part of the plots as comma-separated values. */
  save() {
    const names = [...this.chosen.keys()];
    const series = names.map((name) => this.source.series(name));
    const [low, high] = this.plots.range();
    const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
    const head = names.map((name) => quoted(`${name} [${this.known.get(name).unit}]`));
    const lines = [["time [s]", ...head].join()];
    series[0].times.forEach((time, k) => {
      if (time >= low && time <= high) lines.push([time, ...series.map(({ values }) => values[k])].join());
    });
    const file = new Blob([`${lines.join("\n")}\n`], { type: "text/csv" });
    Footfall.save(URL.createObjectURL(file), `${this.player.viewer.header.title}_plot.csv`);
  }

  /** The last plotted signals of a scene; with names, remember those. */
  static recall(title, names) {
    try {
      const key = `footfall plots ${title}`;
      if (names) localStorage.setItem(key, JSON.stringify(names));
      return names || JSON.parse(localStorage.getItem(key) || "[]");
    } catch {
      return []; // a browser may forbid it
    }
  }
};

Footfall.Signals.listed = 60;
Footfall.Signals.colors = ["#1f6feb", "#d9480f", "#2b8a3e", "#9c4fd6", "#d6336c", "#0c8599", "#a87900", "#6c757d"];

/** The index of the last of rising times that is not after a time; at least 0. */
Footfall.last = function (times, time) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Every entry of variables { name, units, about, labels }: `labels` names those along each dimension. */
Footfall.entries = function (variables) {
  const found = [];
  for (const [name, units, about, labels] of variables) {
    let places = [[]];
    for (const dim of labels) places = places.flatMap((place) => dim.map((label) => [...place, label]));
    for (const place of places) {
      const text = place.length ? `${name}[${place.join()}]` : name;
      found.push({ name: text, about, unit: Footfall.unitOf(units, place[place.length - 1] || "") });
    }
  }
  return found;
};

/** The right part of a unit such as `rad or m` for the joints that `is` selects by name; the whole unit if they differ. */
Footfall.unitOfJoints = function (header, unit, is) {
  const parts = unit.split(" or ");
  const turning = (header.joints || []).filter(([name]) => is(name)).map((joint) => Math.hypot(...joint.slice(5)) > 1e-6);
  if (parts.length !== 2 || !turning.length || new Set(turning).size > 1) return unit;
  return parts.find((part) => /rad|N m/.test(part) === turning[0]) || unit;
};

/** The unit of one entry of a variable with several units: translations first, then rotations. */
Footfall.unitOf = function (units, label) {
  const parts = units.split(/, | or /);
  const last = label.split("/").pop();
  if (parts.length === 2 && /^[vfa]?[xyz]$/.test(last)) return parts[0];
  if (parts.length === 2 && /^[wm][xyz]$/.test(last)) return parts[1];
  if (parts.length === 3 && /^[xyz]$/.test(last)) return parts[0];
  if (parts.length === 3) return /^q[xyzw]$/.test(last) ? "1" : `${parts[0]} or ${parts[2]}`;
  return units;
};

/** The signals of a recording. */
Footfall.RecordedSignals = class {
  constructor({ header, arrays }) {
    Object.assign(this, { header, arrays, entries: Footfall.entries(header.signals || []) });
    this.columns = new Map(); // from a name to its array, its column and the number of columns
    (header.signals || []).forEach(([, , , labels], number) => {
      const width = labels.reduce((product, dim) => product * dim.length, 1);
      const first = this.columns.size;
      for (let k = 0; k < width; k++) this.columns.set(this.entries[first + k].name, [`signal${number}`, k, width]);
    });
  }

  choose() {}

  /** All entries of a variable at a frame. */
  row(name, { time }) {
    const number = (this.header.signals || []).findIndex(([one]) => one === name);
    if (number < 0) return null;
    const [times, data] = [this.arrays.signal_time, this.arrays[`signal${number}`]];
    const width = data.length / times.length;
    return data.subarray(width * Footfall.last(times, time)).subarray(0, width);
  }

  series(name) {
    const [array, column, width] = this.columns.get(name);
    const data = this.arrays[array];
    const times = this.arrays.signal_time;
    return { times, values: Array.from(times, (_, k) => data[k * width + column]) };
  }
};

/** The signals that a run sends with its frames on request. */
Footfall.WatchedSignals = class {
  constructor(live, player) {
    Object.assign(this, { live, player, entries: [], watched: [], dropped: new Set(), own: [], whole: [], wished: [] });
    this.lists = new Map(); // from the number of a list of watched signals to the list
    this.offered = this.asked = "";
  }

  /** Take the run's status; ask again if another page has replaced the list. */
  status({ signals, watched, watch }) {
    const changed = signals !== this.given;
    if (changed) {
      this.given = signals;
      const force = { name: Footfall.WatchedSignals.hand, unit: "N", about: "force of the hand on the held link" };
      this.entries = [force, ...Footfall.entries(signals)];
      this.wish(this.wished);
    }
    this.lists.set(watch, watched);
    this.watched = watched;
    const missing = this.own.some((name) => !watched.includes(name));
    if (missing && this.asked !== watched.join("\n")) {
      this.ask();
      this.asked = watched.join("\n");
    }
    return changed;
  }

  choose(names) {
    this.want(names.filter((name) => name !== Footfall.WatchedSignals.hand), this.whole);
  }

  /** Request all entries of these variables from now on, if the run has them, beside the plotted signals. */
  wish(names) {
    this.wished = names;
    const plotted = this.own.filter((name) => !this.whole.includes(name));
    const there = names.filter((name) => this.given?.some(([one]) => one === name)).map((name) => `${name}[*]`);
    if (there.join() !== this.whole.join()) this.want(plotted, there);
  }

  want(plotted, whole) {
    const names = [...whole, ...plotted];
    for (const name of this.own) if (!names.includes(name)) this.dropped.add(name);
    for (const name of names) this.dropped.delete(name);
    [this.own, this.whole] = [names, whole];
    this.ask();
  }

  /** All entries of a variable at a frame; null if the run did not send them. */
  row(name, { watch, values }) {
    const list = this.lists.get(watch) || [];
    const k = list.indexOf(`${name}[*]`);
    return k < 0 ? null : values.subarray(this.place(list, k), this.place(list, k + 1));
  }

  /** The start index of the values of a list's k-th signal. */
  place(list, k) {
    return list.slice(0, k).reduce((sum, name) => sum + (name.endsWith("[*]") ? this.width(name.slice(0, -3)) : 1), 0);
  }

  /** The number of entries of a variable. */
  width(name) {
    const labels = (this.given || []).find(([one]) => one === name)?.[3] || [];
    return labels.reduce((product, dim) => product * dim.length, 1);
  }

  /** Ask the run for the values of the chosen signals, beside those of other pages. */
  ask() {
    const names = [...new Set([...this.own, ...this.watched.filter((name) => !this.dropped.has(name))])];
    this.live.send({ type: "watch", signals: names.slice(0, Footfall.WatchedSignals.most) });
  }

  series(name) {
    const { frames } = this.player.history;
    const first = Math.max(0, frames.length - Footfall.WatchedSignals.longest);
    const times = [];
    const values = [];
    const places = new Map(); // index in the values, by the number of the list
    for (const [watch, list] of this.lists) places.set(watch, list.includes(name) ? this.place(list, list.indexOf(name)) : -1);
    for (const { time, watch, values: row, hand } of frames.slice(first)) {
      const k = places.get(watch) ?? -1;
      const force = name === Footfall.WatchedSignals.hand ? Math.hypot(...hand.slice(6, 9)) || 0 : null; // NaN without a hand
      times.push(time);
      values.push(force ?? (k < 0 ? null : row[k]));
    }
    return { times, values };
  }
};

Footfall.WatchedSignals.most = 16; // largest number of signals sent with frames
Footfall.WatchedSignals.hand = "force of the hand";
Footfall.WatchedSignals.longest = 20000; // largest number of plotted frames
