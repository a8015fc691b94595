"use strict";

/** One line about the last rejected command; it disappears after a while, or at a click. */
Footfall.Notice = class {
  constructor() {
    this.line = document.getElementById("notice");
    this.line.addEventListener("click", () => this.clear());
    this.problem = "";
    this.timer = 0;
  }

  /** Show a new line. */
  status({ problem }) {
    if (problem === this.problem) return; // keeps a line of the page itself
    if (problem) this.say(problem);
    else this.clear();
    this.problem = problem;
  }

  say(text) {
    this.line.textContent = text;
    this.line.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.clear(), Footfall.Notice.lasts);
  }

  clear() {
    this.line.hidden = true;
  }
};

/** Time for which a line stays, [ms]. */
Footfall.Notice.lasts = 12000;
