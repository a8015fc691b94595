"use strict";

/** The link that was clicked: framed in the picture, and what is known of it in the panel. */
Footfall.Selection = class {
  constructor(player, signals, inertias = null) {
    Object.assign(this, { player, signals, inertias, viewer: player.viewer });
    this.pointer = new Footfall.Pointer(this.viewer);
    this.link = null; // row of the poses
    this.frame = null; // lines around it
    this.part = (id) => document.getElementById(id);
    const { stage } = this.pointer;
    stage.addEventListener("pointerdown", ({ clientX, clientY }) => (this.pressed = [clientX, clientY]));
    stage.addEventListener("pointerup", (event) => this.up(event));
    this.part("unselect").addEventListener("click", () => this.select(null));
    this.part("related").addEventListener("click", () => this.seek());
    player.watchers.push(() => this.tell());
  }

  /** A press that stayed where it was is a click. */
  up({ button, clientX, clientY }) {
    const [x, y] = this.pressed || [NaN, NaN];
    if (button !== 0 || !(Math.hypot(clientX - x, clientY - y) < 4)) return;
    const picked = this.pointer.pick();
    if (picked) this.select(picked.link);
  }

  /** Select a link by its row of the poses, or nothing with null. */
  select(link) {
    this.frame?.parent?.remove(this.frame);
    [this.link, this.frame] = [link, null];
    this.part("selected-section").hidden = link === null;
    const group = this.viewer.bodies.links.get(link);
    if (group) {
      this.frame = Footfall.frameOf(group);
      group.add(this.frame);
      this.part("selected-section").open = true;
      if (window.innerWidth >= 620) Footfall.fold(true);
    }
    this.tell();
    this.viewer.redraw();
  }

  get name() {
    return (this.viewer.header.link_names || [])[this.link] || "";
  }

  /** Find the signals of the body. */
  seek() {
    this.part("plot-section").open = true;
    this.part("seek").value = this.name.split("/").pop();
    this.signals.offer();
    this.part("seek").focus();
  }

  /** Write what is known of it now. */
  tell() {
    if (this.link === null || this.part("side").hidden) return;
    const rows = [["link", this.name], ...this.constants(), ...this.motion(), ...this.contacts()];
    const text = JSON.stringify(rows);
    if (text === this.told) return;
    this.told = text;
    const cells = rows.flatMap(([name, value]) => {
      const [term, said] = ["dt", "dd"].map((tag) => document.createElement(tag));
      [term.textContent, said.textContent] = [name, value];
      return [term, said];
    });
    this.part("selected").replaceChildren(...cells);
  }

  constants() {
    const [mass, ...inertia] = (this.inertias || [])[this.link] || [];
    if (mass === undefined) return [];
    return [
      ["mass", `${Footfall.digits(mass)} kg`],
      ["inertia", `${inertia.map(Footfall.digits).join(", ")} kg m²`],
    ];
  }

  /** Where it is, and how fast it moves: the mean between the frames around. */
  motion() {
    const { history, time } = this.player;
    const { frames } = history;
    if (!frames.length) return [];
    const now = history.at(time).poses.slice(7 * this.link, 7 * this.link + 7);
    const vector = (values, unit) => `${Array.from(values, Footfall.digits).join(", ")} ${unit}`;
    const rows = [["position", vector(now.slice(0, 3), "m")], ["quaternion", vector(now.slice(3), "").trim()]];
    const k = Math.min(history.row(time), frames.length - 2);
    const [from, to] = [frames[k], frames[k + 1]];
    if (!from || !(to.time > from.time)) return rows;
    const dt = to.time - from.time;
    const [a, b] = [from, to].map(({ poses }) => poses.slice(7 * this.link, 7 * this.link + 7));
    const { Quaternion, Vector3 } = MeshCat.THREE;
    const turn = new Quaternion(...b.slice(3)).multiply(new Quaternion(...a.slice(3)).conjugate());
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const axis = new Vector3(turn.x, turn.y, turn.z);
    const angle = 2 * Math.atan2(axis.length(), turn.w);
    rows.push(["velocity", vector([0, 1, 2].map((i) => (b[i] - a[i]) / dt), "m/s")]);
    rows.push(["turns", vector(axis.setLength(angle / dt || 0).toArray(), "rad/s")]);
    return rows;
  }

  /** The contact points of its body that touch: force and mode. */
  contacts() {
    const { known, source } = this.signals;
    const body = `${this.name.split("/")[0]}/`;
    const rows = [];
    for (const name of known?.keys() || []) {
      const label = /^contact_status\[(.*)\]$/.exec(name)?.[1];
      if (!label?.startsWith(body) || !source.arrays) continue;
      const at = (one) => {
        const { times, values } = source.series(one);
        return values[Footfall.last(times, this.player.time)];
      };
      const mode = ["open", "sticks", "slips"][at(name)];
      const force = Math.hypot(...["x", "y", "z"].map((axis) => at(`contact_force[${label},${axis}]`)));
      if (mode !== "open") rows.push([label.slice(body.length), `${Footfall.digits(force)} N, ${mode}`]);
      if (rows.length === Footfall.Selection.most) break;
    }
    return rows;
  }
};

/** Contact points that are listed, at most. */
Footfall.Selection.most = 12;

/** A number to four digits; what is nothing but rounding is 0. */
Footfall.digits = function (value) {
  return Math.abs(value) < 1e-9 ? "0" : `${Number(value.toPrecision(4))}`;
};

/** Lines along the edges of the box around all shapes of a link, in its own axes. */
Footfall.frameOf = function (group) {
  const { Box3, Box3Helper } = MeshCat.THREE;
  const box = new Box3();
  for (const mesh of group.children) {
    if (mesh.isMesh) box.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrix));
  }
  box.expandByScalar(0.01 * box.getSize(new MeshCat.THREE.Vector3()).length());
  return new Box3Helper(box, 0x1f6feb);
};
