"use strict";

/** The signals that are plotted: chosen in the panel, sampled with every frame. */
Footfall.Signals = class {
  constructor(live) {
    this.live = live;
    this.part = (id) => document.getElementById(id);
    this.plot = new Footfall.Plot(this.part("plot"), Footfall.Signals.seconds);
    this.chosen = new Map(); // from a name to its curve
    this.add(Footfall.Signals.hand);
    this.offered = "";
    this.watched = [];
    this.watch = -1; // number of the list of watched signals
    this.asked = "";
    this.time = NaN;
    this.part("watch").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add(this.name());
      this.ask();
    });
    this.part("signal").addEventListener("change", () => this.entries());
  }

  /** The signal that the form names. */
  name() {
    const [signal, entry] = [this.part("signal").value, this.part("entry")];
    return entry.hidden ? signal : `${signal}[${Math.min(Math.max(Math.round(entry.value), 0), Number(entry.max))}]`;
  }

  /** Show what can be chosen; ask again for what another page has replaced. */
  status({ signals, watched, watch }) {
    const offered = JSON.stringify(signals);
    if (offered !== this.offered) this.offer(signals);
    this.offered = offered;
    [this.watched, this.watch] = [watched, watch];
    const missing = [...this.chosen.keys()].some((name) => name !== Footfall.Signals.hand && !watched.includes(name));
    if (missing && this.asked !== watched.join("\n")) {
      this.ask();
      this.asked = watched.join("\n");
    }
  }

  offer(signals) {
    this.counts = new Map([[Footfall.Signals.hand, 1], ...signals]);
    const select = this.part("signal");
    const before = select.value;
    select.replaceChildren(...[...this.counts.keys()].map((name) => new Option(name, name)));
    if (this.counts.has(before)) select.value = before;
    this.entries();
  }

  entries() {
    const count = this.counts.get(this.part("signal").value) || 1;
    this.part("entry").hidden = count === 1;
    this.part("entry").max = count - 1;
    this.part("entry").title = `0 to ${count - 1}`;
  }

  /** Ask the run for the values of what is chosen, beside those that others watch. */
  ask() {
    const own = [...this.chosen.keys()].filter((name) => name !== Footfall.Signals.hand);
    const names = [...new Set([...own, ...this.watched.filter((name) => !this.dropped?.has(name))])];
    this.live.send({ type: "watch", signals: names.slice(0, Footfall.Signals.most) });
  }

  add(name) {
    if (this.chosen.has(name) || this.chosen.size >= Footfall.Signals.colors.length) return;
    this.dropped?.delete(name);
    const used = new Set([...this.chosen.values()].map(({ color }) => color));
    const color = Footfall.Signals.colors.find((one) => !used.has(one));
    this.chosen.set(name, { color, times: [], values: [] });
    this.legend();
  }

  remove(name) {
    this.chosen.delete(name);
    this.dropped = new Set([...(this.dropped || []), name]);
    this.legend();
    this.ask();
    this.redraw();
  }

  legend() {
    const entries = [...this.chosen].map(([name, { color }]) => {
      const [item, mark, value, button] = ["li", "span", "output", "button"].map((tag) => document.createElement(tag));
      mark.className = "mark";
      mark.style.background = color;
      Object.assign(button, { type: "button", textContent: "×", title: "remove" });
      button.setAttribute("aria-label", `remove ${name}`);
      button.addEventListener("click", () => this.remove(name));
      const label = document.createElement("span");
      label.textContent = name;
      item.append(mark, label, value, button);
      this.chosen.get(name).output = value;
      return item;
    });
    this.part("legend").replaceChildren(...entries);
  }

  /** Take the values of a frame. */
  take({ time, watch, values, hand }) {
    const force = Math.hypot(...hand.slice(6, 9)) || 0; // NaN without a hand
    if (time < this.time) this.clear();
    if (time === this.time) return;
    this.time = time;
    for (const [name, curve] of this.chosen) {
      const k = watch === this.watch ? this.watched.indexOf(name) : -1;
      const value = name === Footfall.Signals.hand ? force : k < 0 ? NaN : values[k];
      curve.times.push(time);
      curve.values.push(value);
      while (curve.times[1] < time - Footfall.Signals.seconds) {
        curve.times.shift();
        curve.values.shift();
      }
    }
  }

  /** Begin anew, as the run did. */
  clear() {
    for (const curve of this.chosen.values()) [curve.times, curve.values] = [[], []];
  }

  redraw() {
    if (!this.part("plot-section").open || this.part("side").hidden || !Number.isFinite(this.time)) return;
    this.plot.draw([...this.chosen.values()], this.time);
    for (const { output, values } of this.chosen.values()) {
      const value = values[values.length - 1];
      output.textContent = Number.isFinite(value) ? Number(value.toPrecision(4)) : "";
    }
  }
};

Footfall.Signals.seconds = 8;
Footfall.Signals.most = 16; // that the run sends with its frames
Footfall.Signals.hand = "force of the hand [N]";
Footfall.Signals.colors = ["#8b2fc9", "#1f6feb", "#d9480f", "#2b8a3e", "#c2255c", "#0c8599", "#846200", "#495057"];
