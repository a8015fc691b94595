"use strict";

/** Actions of keys and gestures: one list for the keys and for the help text. */
Footfall.Keys = class {
  constructor() {
    this.acts = new Map(); // from a key, in lower case, to its action
    this.groups = new Map(); // from a heading to rows of the help
    this.first = null; // called before all others: takes an event, returns whether it was used
    this.dialog = document.getElementById("help");
    // Before all other listeners: the camera would pan with arrow keys, which act differently here.
    window.addEventListener("keydown", (event) => this.press(event), { capture: true });
    document.addEventListener("click", (event) => {
      // A button that was clicked with a mouse must not take the space bar for itself.
      if (event.detail > 0) event.target.closest("button")?.blur();
    });
    const leave = (event) => {
      // A press elsewhere ends typing, also if the camera takes the press for itself.
      if (!event.target.closest?.("input, select, textarea, label")) document.activeElement?.blur();
    };
    document.addEventListener("pointerdown", leave, { capture: true });
    this.add("This page", "?", "show and hide this help", () => this.help());
    document.getElementById("keys").addEventListener("click", () => this.help());
  }

  /** Add an action for a key, or several; `options.repeat`: also while it is held down. */
  add(group, key, label, act, options = {}) {
    for (const one of [key].flat()) this.acts.set(one.toLowerCase(), { act, ...options });
    this.note(group, key, label);
  }

  /** Explain a gesture, or several that do the same, in the help. */
  note(group, gesture, label) {
    if (!this.groups.has(group)) this.groups.set(group, new Map());
    const gestures = [gesture].flat();
    this.groups.get(group).set(gestures[0], { gestures, label });
  }

  press(event) {
    const { target, key } = event;
    if (key === "Escape" && target.matches?.("input, textarea")) target.blur();
    const moving = /^(Arrow|Home|End)/.test(key);
    const sliding = moving && target.matches?.("input[type=range]:not(#slider)");
    const typing = sliding || target.matches?.("select, textarea, input:not([type=range]):not([type=checkbox])");
    if (typing && moving) event.stopPropagation();
    if (!typing && this.first?.(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const pressing = key === " " && target.matches?.("button, summary, input");
    const entry = this.acts.get(key.toLowerCase());
    if (!entry || (typing && key !== "Escape") || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.dialog.open && key !== "?") return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || entry.repeat) entry.act();
  }

  help() {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    const names = { " ": "Space", Escape: "Esc", ArrowRight: "Right", ArrowLeft: "Left" };
    const make = (tag, ...content) => {
      const element = document.createElement(tag);
      element.append(...content);
      return element;
    };
    const table = ([group, rows]) => {
      const list = make("dl");
      const shown = (key) => make("kbd", names[key] || (key.length === 1 ? key.toUpperCase() : key));
      for (const { gestures, label } of rows.values()) {
        list.append(make("dt", ...gestures.flatMap((key) => [shown(key), " "])), make("dd", label));
      }
      return make("section", make("h3", group), list);
    };
    const rank = { "This page": 1, View: 2 }; // the longest group last: it gets its own column
    const order = [...this.groups].sort(([a], [b]) => (rank[a] || 0) - (rank[b] || 0));
    document.getElementById("help-text").replaceChildren(...order.map(table));
    this.dialog.showModal();
  }
};

Footfall.keys = new Footfall.Keys();
