"use strict";

/** Play, pause, step, restart, speed, and what the hand does; shows what the run says of itself. */
Footfall.Toolbar = class {
  constructor(live) {
    this.live = live;
    this.part = (id) => document.getElementById(id);
    this.playing = false;
    const click = (id, act) => this.part(id).addEventListener("click", act);
    click("run", () => this.toggle());
    click("step", () => this.step());
    click("restart", () => live.send({ type: "restart" }));
    click("drag", () => this.mode("drag"));
    click("touch", () => this.mode("touch"));
    click("fold", () => this.fold());
    this.part("pace").addEventListener("change", (event) => this.speed(Number(event.target.value)));
    this.keys();
  }

  keys() {
    const run = (...entry) => Footfall.keys.add("Run", ...entry);
    run(" ", "play and pause", () => this.toggle());
    run(".", "pause, and one step on", () => this.step(), { repeat: true });
    run("0", "restart", () => this.live.send({ type: "restart" }));
    run("[", "slower", () => this.shift(-1));
    run("]", "faster", () => this.shift(1));
    Footfall.keys.add("Hand", "T", "drag or touch", () => this.mode(this.live.hand.mode === "drag" ? "touch" : "drag"));
    Footfall.keys.note("Hand", "Drag a body", "pull it");
    Footfall.keys.note("Hand", "Shift + up, down", "away from you and towards you; so does the wheel");
    Footfall.keys.add("This page", "P", "show and hide the panel", () => this.fold());
  }

  toggle() {
    this.live.send({ type: this.playing ? "pause" : "play" });
  }

  step() {
    this.live.send({ type: "step", n: 1 });
  }

  speed(value) {
    this.live.send({ type: "speed", value });
  }

  /** Go so many places on in the list of speeds. */
  shift(count) {
    const pace = this.part("pace");
    const k = Math.min(Math.max(pace.selectedIndex + count, 0), pace.options.length - 1);
    this.speed(Number(pace.options[k].value));
  }

  mode(mode) {
    this.live.hand.choose(mode);
    for (const name of ["drag", "touch"]) this.part(name).setAttribute("aria-pressed", name === mode);
  }

  /** Show or hide the panel at the side. */
  fold(shown = this.part("side").hidden) {
    this.part("side").hidden = !shown;
    this.part("fold").setAttribute("aria-expanded", shown);
    this.part("fold").setAttribute("aria-pressed", shown);
  }

  /** Show what the run says. */
  status({ playing, speed, ended }) {
    this.playing = playing && !ended;
    this.part("bar").hidden = false;
    this.part("run").textContent = this.playing ? "❚❚" : "▶";
    this.part("run").setAttribute("aria-label", this.playing ? "pause" : "play");
    for (const id of ["run", "step", "restart", "pace"]) this.part(id).disabled = ended;
    const pace = this.part("pace");
    if (document.activeElement === pace && pace.matches(":open")) return;
    const known = [...pace.options].some((option) => Number(option.value) === speed);
    if (!known) pace.add(new Option(`${speed}`, speed));
    pace.value = speed;
  }

  /** Say what the hand does; `mass`: effective, of the held point, [kg], null if not known. */
  held({ held, hovered, holder, selected, mode, report, free }, force, { mass }) {
    const output = this.part("held");
    let text = hovered && !held ? hovered.name : "";
    const weighs = mass === null ? "" : `, which feels like ${Number(mass.toPrecision(3))} kg`;
    if (held) text = `${mode === "drag" ? "Pulling" : "Pressing"} ${held.name} with ${Footfall.newtons(force)}${weighs}`;
    else if (!free) text = "Click where the new object shall be; Esc ends";
    else if (holder === "other") text = "Another page has the hand";
    else if (!text && selected === null) text = mode === "drag" ? "Drag a body to pull it" : "Press on a body";
    if (output.textContent !== text) output.textContent = text;
    output.title = "The hand feels the opposite force.";
    if (report.answer !== null) output.title += ` Its last move was answered after ${report.answer.toFixed(0)} ms.`;
  }
};
