"use strict";

/** Bodies and their links: a click selects one, like a click in the picture; bodies can be hidden. */
Footfall.Tree = class {
  constructor(selection) {
    Object.assign(this, { selection, viewer: selection.viewer });
    this.part = (id) => document.getElementById(id);
    this.hidden = new Set(); // names of hidden bodies
    this.part("tree-sought").addEventListener("input", () => this.build());
    this.part("tree-section").addEventListener("toggle", () => this.refresh());
    selection.watchers.push(() => this.mark());
    this.refresh();
  }

  /** Take a new scene, once the list is open. */
  refresh() {
    const { header } = this.viewer;
    this.part("tree-section").hidden = !(header.link_names || []).some(Boolean);
    if (!this.part("tree-section").open || header === this.known) return;
    this.known = header;
    this.bodies = new Map(); // from a name to its links, pairs of a name and a row of the poses
    header.link_names.forEach((name, link) => {
      const [body, ...rest] = name.split("/");
      if (name) this.bodies.set(body, [...(this.bodies.get(body) || []), [rest.join("/"), link]]);
    });
    this.part("tree-sought").hidden = header.link_names.length < 9;
    for (const body of this.hidden) this.show(body, false);
    this.build();
  }

  /** List the bodies and links that contain the words in the field. */
  build() {
    const words = this.part("tree-sought").value.toLowerCase().split(/\s+/);
    const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
    const found = [...this.bodies].flatMap(([body, links]) => {
      const kept = links.filter(([name]) => fits(`${body}/${name}`));
      return kept.length ? [[body, kept]] : [];
    });
    this.buttons = new Map(); // from a row of the poses to its buttons
    const rows = found.slice(0, Footfall.Tree.most).map(([body, links]) => this.body(body, links, found.length < 4));
    if (found.length > rows.length) {
      const rest = document.createElement("li");
      rest.textContent = `and ${found.length - rows.length} more`;
      rows.push(rest);
    }
    this.part("tree").replaceChildren(...rows);
    this.mark();
  }

  body(body, links, open) {
    const make = (tag, ...content) => {
      const element = document.createElement(tag);
      element.append(...content);
      return element;
    };
    const eye = make("input");
    Object.assign(eye, { type: "checkbox", checked: !this.hidden.has(body), title: "show or hide it", ariaLabel: `show ${body}` });
    eye.addEventListener("change", () => this.show(body, eye.checked));
    eye.addEventListener("click", (event) => event.stopPropagation());
    const first = this.button(body, links[0][1]);
    if (links.length === 1) {
      const row = make("div", eye, first);
      row.className = "row";
      return make("li", row);
    }
    const list = make("ul", ...links.map(([name, link]) => make("li", this.button(name, link))));
    const details = make("details", make("summary", eye, body), list);
    details.open = open;
    return make("li", details);
  }

  button(name, link) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: name, title: name });
    button.addEventListener("click", () => this.selection.select(link));
    this.buttons.set(link, button);
    return button;
  }

  /** Show or hide a body. */
  show(body, on) {
    if (on) this.hidden.delete(body);
    else this.hidden.add(body);
    for (const [, link] of this.bodies.get(body) || []) {
      this.viewer.bodies.show(link, on);
    }
    this.viewer.redraw();
  }

  /** Mark the selected link. */
  mark() {
    for (const [link, button] of this.buttons || []) {
      const current = link === this.selection.link;
      button.setAttribute("aria-current", current);
      if (current) button.closest("details:not(#tree-section)")?.setAttribute("open", "");
    }
  }
};

/** Largest number of listed bodies. */
Footfall.Tree.most = 200;
