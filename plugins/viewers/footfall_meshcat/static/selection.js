"use strict";

/** The selected link: a frame around it in the picture, and its data in the panel. */
Footfall.Selection = class {
  constructor(player, signals) {
    Object.assign(this, { player, signals, viewer: player.viewer });
    this.watchers = []; // called when another link is selected
    this.pointer = new Footfall.Pointer(this.viewer);
    this.link = null; // row of the poses
    this.frame = null; // lines around the link
    this.boxes = new WeakMap(); // boxes around the shapes of links, in their own axes
    this.part = (id) => document.getElementById(id);
    const { stage } = this.pointer;
    stage.addEventListener("pointerdown", ({ clientX, clientY }) => (this.pressed = [clientX, clientY]));
    stage.addEventListener("pointerup", (event) => this.up(event));
    this.part("unselect").addEventListener("click", () => this.select(null));
    this.part("related").addEventListener("click", () => this.seek());
    player.watchers.push(() => this.tell());
    signals.lit = (name) => this.owns(name);
  }

  /** End of a press: a press without motion is a click. */
  up({ button, clientX, clientY }) {
    const [x, y] = this.pressed || [NaN, NaN];
    if (button !== 0 || !(Math.hypot(clientX - x, clientY - y) < 4)) return;
    const picked = this.pointer.pick();
    if (picked) this.select(picked.link, picked.local.toArray());
  }

  /** Select a link by its row of the poses, and a point in its frame; or nothing with null. */
  select(link, point) {
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
    this.viewer.overlays?.trail.follow(link, point);
    this.viewer.want("selection", link === null ? [] : [Footfall.Contacts.status]);
    for (const watch of this.watchers) watch();
    this.tell();
    this.signals.legend();
    this.signals.redraw();
    this.viewer.redraw();
  }

  get name() {
    return (this.viewer.header.link_names || [])[this.link] || "";
  }

  /** Rows of the poses of the links of its body; the first is its base. */
  get links() {
    const { link_names: names } = this.viewer.header;
    const body = `${this.name.split("/")[0]}/`;
    return [...names.keys()].filter((link) => names[link].startsWith(body));
  }

  /** Whether a signal belongs to the link: to its joint, to a contact point on it, or to the body of a base. */
  owns(name) {
    const { contacts, header } = this.viewer;
    const labels = /\[(.*)\]$/.exec(name)?.[1].split(",");
    if (!this.name || !labels) return false;
    const is = (full) => labels.some((label) => full === label || full.endsWith(`/${label}`));
    const joint = (header.joints || []).find(([full]) => is(full));
    if (joint) return joint[1] === this.link;
    const point = contacts.points.findIndex(([full]) => is(full));
    const body = this.name.split("/")[0];
    if (point >= 0) return contacts.body[point] === body && this.pointed(this.viewer.frame, point) === this.link;
    const whole = this.links[0] === this.link && labels.some((label) => label.split("/")[0] === body);
    return whole || labels.includes(this.name);
  }

  /** Find the signals of its joint; without a joint, those of the body. */
  seek() {
    const joint = (this.viewer.header.joints || []).find(([, link]) => link === this.link);
    this.part("plot-section").open = true;
    this.part("seek").value = joint ? joint[0].split("/").pop() : this.name.split("/")[0];
    this.signals.offer();
    this.part("seek").focus();
  }

  /** Write the current data of the link. */
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
    const [mass, , , , ...inertia] = this.viewer.header.inertias?.[this.link] || [];
    if (mass === undefined) return [];
    return [
      ["mass", `${Footfall.digits(mass)} kg`],
      ["inertia", `${inertia.map(Footfall.digits).join(", ")} kg m²`],
    ];
  }

  /** Position and velocity of the link: the mean between two frames. */
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
    const { velocity, spin } = Footfall.twist(this.link, from, to);
    rows.push(["velocity", vector(velocity.toArray(), "m/s")]);
    rows.push(["turns", vector(spin.toArray(), "rad/s")]);
    const energy = (link) => Footfall.kineticEnergy(this.viewer.header, link, from, to);
    const { links } = this;
    const all = links.length > 1 ? `, its body ${Footfall.digits(links.reduce((sum, link) => sum + energy(link), 0))} J` : "";
    if (this.viewer.header.inertias?.[this.link]) rows.push(["kinetic energy", `${Footfall.digits(energy(this.link))} J${all}`]);
    return rows;
  }

  /**
   * Touching contacts with force, mode and used friction: those of the link's points on the ground (for a base,
   * of its whole body), and those with other bodies that lie on the link's shapes.
   */
  contacts() {
    const { contacts, header } = this.viewer;
    const { history, time } = this.player;
    if (!history.frames.length || !contacts) return [];
    const frame = history.frames[history.row(time)];
    const body = this.name.split("/")[0];
    const rows = [];
    for (let k = 0; k < header.contacts && rows.length < Footfall.Selection.most; k++) {
      const declared = k < contacts.points.length;
      if (declared && !this.stands(frame, k)) continue;
      const contact = contacts.at(k, frame);
      const { force, mode, used, friction } = contact;
      const other = contacts.other(contact, body);
      if (!(force > 0) || (!declared && !this.touches(frame, k, contact, other))) continue;
      const name = declared ? contacts.points[k][0].slice(body.length + 1) : other || "another body";
      const part = friction > 0 ? `, ${Math.round(100 * Math.min(used, 1))} % of friction ${Footfall.digits(friction)}` : "";
      rows.push([name, `${Footfall.digits(force)} N, ${mode}${part}`]);
    }
    return rows;
  }

  /** Whether a contact between bodies belongs to the link. */
  touches(frame, k, { bodies }, other) {
    if (bodies && other === undefined) return false;
    return (bodies && this.links.length === 1) || this.near(frame, k);
  }

  /** Whether a point on the ground belongs to the link, or to its body if the link is the base. */
  stands(frame, k) {
    const [body, base] = [this.name.split("/")[0], this.links[0]];
    if (this.viewer.contacts.body[k] !== body) return false;
    return this.link === base || this.pointed(frame, k) === this.link;
  }

  /** The link of a point on the ground: the one whose shapes are nearest to it. */
  pointed(frame, k) {
    const { links } = this;
    if (links.length === 1) return links[0];
    const gaps = links.map((link) => this.gap(frame, k, link));
    return links[gaps.indexOf(Math.min(...gaps))];
  }

  /** Whether a contact of a frame lies on the box around the link's shapes. */
  near(frame, k) {
    return this.gap(frame, k, this.link) < 2e-3 * this.viewer.size;
  }

  /** The distance of a contact of a frame from the box around a link's shapes, [m]; infinite without shapes. */
  gap(frame, k, link) {
    const { Quaternion, Vector3 } = MeshCat.THREE;
    const group = this.viewer.bodies.links.get(link);
    if (!group) return Infinity;
    if (!this.boxes.has(group)) this.boxes.set(group, Footfall.boxOf(group));
    const turn = new Quaternion().fromArray(frame.poses, 7 * link + 3).conjugate();
    const at = new Vector3().fromArray(frame.position, 3 * k).sub(new Vector3().fromArray(frame.poses, 7 * link));
    return this.boxes.get(group).distanceToPoint(at.applyQuaternion(turn));
  }
};

/** Largest number of listed contact points. */
Footfall.Selection.most = 12;

/** A number to four digits; rounding noise becomes 0. */
Footfall.digits = function (value) {
  return Math.abs(value) < 1e-9 ? "0" : `${Number(value.toPrecision(4))}`;
};

/** Mean velocity of a link's origin and mean angular velocity between two frames, world. */
Footfall.twist = function (link, from, to) {
  const { Quaternion, Vector3 } = MeshCat.THREE;
  const [a, b] = [from, to].map(({ poses }) => new Vector3().fromArray(poses, 7 * link));
  const [p, q] = [from, to].map(({ poses }) => new Quaternion().fromArray(poses, 7 * link + 3));
  const dt = to.time - from.time;
  const turn = q.multiply(p.conjugate());
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const axis = new Vector3(turn.x, turn.y, turn.z);
  const angle = 2 * Math.atan2(axis.length(), turn.w);
  return { velocity: b.sub(a).divideScalar(dt), spin: axis.setLength(angle / dt || 0) };
};

/** Kinetic energy of a link at its mean velocities between two frames, [J]. */
Footfall.kineticEnergy = function (header, link, from, to) {
  const [mass, , , , xx, yy, zz, xy, xz, yz] = header.inertias?.[link] || [0];
  if (!(mass > 0)) return 0;
  const { Quaternion } = MeshCat.THREE;
  const [a, b] = [from, to].map(({ poses }) => Footfall.massCentreOf(header, link, poses));
  const speed = b.distanceTo(a) / (to.time - from.time);
  const w = Footfall.twist(link, from, to).spin.applyQuaternion(new Quaternion().fromArray(from.poses, 7 * link + 3).conjugate());
  const spin = xx * w.x ** 2 + yy * w.y ** 2 + zz * w.z ** 2 + 2 * (xy * w.x * w.y + xz * w.x * w.z + yz * w.y * w.z);
  return (mass * speed ** 2 + spin) / 2;
};

/** The box around all shapes of a link, in its own axes. */
Footfall.boxOf = function (group) {
  const box = new MeshCat.THREE.Box3();
  for (const mesh of group.children) {
    if (mesh.isMesh) box.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrix));
  }
  return box;
};

/** Lines along the edges of the box around all shapes of a link, in its own axes. */
Footfall.frameOf = function (group) {
  const { Box3Helper } = MeshCat.THREE;
  const box = Footfall.boxOf(group);
  box.expandByScalar(0.01 * box.getSize(new MeshCat.THREE.Vector3()).length());
  return new Box3Helper(box, 0x1f6feb);
};
