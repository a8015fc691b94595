"use strict";

/** The bodies of the scene: users place new ones with the pointer, and delete others. */
Footfall.Objects = class {
  constructor(live, viewer, pointer) {
    Object.assign(this, { live, viewer });
    this.kind = null; // kind of the object being placed
    this.placing = new Footfall.Placing(viewer, pointer, (position) => this.create(position));
    this.list = document.getElementById("objects");
    this.measures = document.getElementById("measures");
    this.buttons = [...document.querySelectorAll("[data-kind]")];
    this.known = "";
    this.values = null; // sizes by kind; the initial ones suit the scene
    this.buttons.forEach((button, k) => {
      const { kind } = button.dataset;
      button.addEventListener("click", () => this.choose(kind));
      Footfall.keys.add("Objects", `${k + 1}`, `place a new ${button.textContent.toLowerCase()}`, () => this.choose(kind));
    });
    const remove = () => live.hand.selected !== null && this.remove(live.hand.selected);
    Footfall.keys.add("Objects", ["Delete", "Backspace"], "delete the last body held", remove);
    Footfall.keys.add("Objects", "Escape", "stop placing; let go", () => this.stop());
  }

  /** Sizes that suit the scene, [m]; density [kg/m^3]. */
  usual() {
    const rough = 0.2 * this.viewer.size;
    const power = 10 ** Math.floor(Math.log10(rough));
    const a = [5, 2, 1].map((factor) => factor * power).find((size) => size <= rough * 1.001);
    const round = (length) => Number(length.toPrecision(3));
    return {
      box: { x: a, y: a, z: a, density: 500 },
      sphere: { radius: round(a / 2), density: 500 },
      cylinder: { radius: round(a / 2), length: a, density: 500 },
      mesh: { file: "", scale: 1, density: 500 },
    };
  }

  /** Start or end placing objects of a kind. */
  choose(kind) {
    this.values ||= this.usual();
    this.kind = kind === this.kind ? null : kind;
    this.live.hand.free = this.kind === null;
    this.live.hand.hover(null);
    for (const button of this.buttons) button.setAttribute("aria-pressed", button.dataset.kind === this.kind);
    document.getElementById("making").hidden = this.kind === null;
    if (this.kind) {
      Footfall.fold(true);
      document.getElementById("objects-section").open = true;
      this.form();
    }
    this.aim();
  }

  /** Stop placing, or let go. */
  stop() {
    if (this.kind) this.choose(this.kind);
    this.live.hand.release();
  }

  form() {
    const values = this.values[this.kind];
    const rows = Object.entries(values).map(([name, value]) => {
      const [label, input] = [document.createElement("label"), document.createElement("input")];
      const units = { density: "kg/m³", file: "", scale: "" };
      const number = name !== "file";
      Object.assign(input, number ? { type: "number", min: 0, step: "any", value } : { type: "text", value });
      if (!number) input.placeholder = "path of the file";
      input.addEventListener("input", () => {
        values[name] = number ? Number(input.value) : input.value;
        this.aim();
      });
      label.className = name in units ? "whole" : "";
      label.append(name, input, units[name] ?? "m");
      return label;
    });
    this.measures.replaceChildren(...rows);
  }

  size() {
    const { density, file, ...sizes } = this.values[this.kind];
    return Object.values(sizes);
  }

  aim() {
    const drawn = this.kind && this.size().map((length) => (length > 0 ? length : 1e-4));
    this.placing.set(drawn ? { kind: this.kind, size: drawn } : null);
  }

  create(position) {
    const { density, file } = this.values[this.kind];
    const mesh = this.kind === "mesh" ? { mesh: file } : {};
    const fault = this.fault();
    this.live.notice.clear();
    if (fault) this.live.notice.say(fault);
    else this.live.send({ type: "create", kind: this.kind, size: this.size(), position, density, ...mesh });
  }

  /** The error in the sizes; the run would drop such a message without an answer. */
  fault() {
    const { density, file, ...sizes } = this.values[this.kind];
    const within = (value, low, high) => value >= low && value <= high;
    const wrong = Object.entries(sizes).find(([, length]) => !within(length, 1e-4, 1e3));
    if (wrong) return `${wrong[0]} must be from 0.0001 to 1000`;
    if (!within(density, 1e-3, 1e6)) return "density must be from 0.001 to 1000000 kg/m³";
    if (file === "") return "A mesh needs the path of its file";
    if (file && (file.startsWith("/") || file.split(/[/\\]/).includes(".."))) {
      return "The path of a mesh must be inside the folder of the scene or of the run";
    }
    return "";
  }

  remove(body) {
    this.live.send({ type: "delete", body });
  }

  /** List the bodies; `selected`: the last one held. */
  status({ bodies }, selected) {
    const known = JSON.stringify([bodies, selected]);
    if (known === this.known) return;
    this.known = known;
    const shown = bodies.slice(0, Footfall.Objects.most);
    const rest = document.createElement("li");
    rest.textContent = `and ${bodies.length - shown.length} more`;
    const entries = shown.map((body) => this.entry(body, selected));
    this.list.replaceChildren(...entries, ...(bodies.length > shown.length ? [rest] : []));
  }

  entry({ name, deletable }, selected) {
    const [item, label, button] = ["li", "span", "button"].map((tag) => document.createElement(tag));
    label.textContent = name;
    if (name === selected) item.setAttribute("aria-current", "true");
    item.append(label);
    if (!deletable) return item;
    Object.assign(button, { type: "button", textContent: "×", title: "delete" });
    button.setAttribute("aria-label", `delete ${name}`);
    button.addEventListener("click", () => this.remove(name));
    item.append(button);
    return item;
  }
};

/** Largest number of listed bodies. */
Footfall.Objects.most = 200;
