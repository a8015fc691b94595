"use strict";

/** One line about the last command that was refused; goes by itself, or at a click. */
Footfall.Notice = class {
  constructor() {
    this.line = document.getElementById("notice");
    this.line.addEventListener("click", () => this.clear());
    this.problem = "";
    this.timer = 0;
  }

  /** Show a line that is new. */
  status({ problem }) {
    if (problem === this.problem) return; // a line of the page's own stays
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

/** How long a line stays, [ms]. */
Footfall.Notice.lasts = 12000;
