"use strict";

/** The toolbar of the hand: its mode and its status. */
Footfall.Toolbar = class {
  constructor(live) {
    this.live = live;
    this.part = (id) => document.getElementById(id);
    const click = (id, act) => this.part(id).addEventListener("click", act);
    click("drag", () => this.mode("drag"));
    click("touch", () => this.mode("touch"));
    Footfall.keys.add("Hand", "T", "drag or touch", () => this.mode(this.live.hand.mode === "drag" ? "touch" : "drag"));
    Footfall.keys.note("Hand", "Drag a body", "pull it");
    Footfall.keys.note("Hand", "Shift + up, down", "away from you and towards you; so does the wheel");
  }

  mode(mode) {
    this.live.hand.choose(mode);
    for (const name of ["drag", "touch"]) this.part(name).setAttribute("aria-pressed", name === mode);
  }

  /** Show the status of the hand; `mass`: effective mass of the held point, [kg], null if unknown. */
  held({ held, hovered, holder, selected, mode, report, free }, force, { mass }) {
    const [output, { ended }] = [this.part("held"), this.live.state];
    this.part("drag").parentElement.hidden = ended;
    let text = hovered && !held ? hovered.name : "";
    const weighs = mass === null ? "" : `, which feels like ${Number(mass.toPrecision(3))} kg`;
    if (ended) text = "";
    else if (held) text = `${mode === "drag" ? "Pulling" : "Pressing"} ${held.name} with ${Footfall.newtons(force)}${weighs}`;
    else if (!free) text = "Click to place the new object; Esc ends";
    else if (holder === "other") text = "Another page has the hand";
    else if (!text && selected === null) text = mode === "drag" ? "Drag a body to pull it" : "Press on a body";
    Footfall.write(output, "textContent", text);
    const answered = report.answer === null ? "" : ` Its last move was answered after ${report.answer.toFixed(0)} ms.`;
    Footfall.write(output, "title", `The hand feels the opposite force.${answered}`);
  }
};
