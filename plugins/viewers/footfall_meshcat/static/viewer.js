"use strict";

/**
 * A scene in a page. Give it frames with `show`; it draws the newest when the browser is ready.
 *
 * A frame: { time, wall, poses, com, position, force }; times in [s], the others flat lists as in
 * footfall/interfaces/visualizer.py.
 */
Footfall.Viewer = class {
  constructor(container, payload) {
    this.meshcat = new MeshCat.Viewer(container, false);
    for (const name of ["Save / Load / Capture", "Animations"]) {
      this.meshcat.gui.removeFolder(this.meshcat.gui.__folders[name]);
    }
    this.look = new Footfall.Look(this.meshcat);
    this.quality = new Footfall.Quality(this);
    this.clock = new Footfall.Clock();
    this.watchers = []; // called with every frame taken
    this.before = []; // called before every picture
    this.drawn = 0; // number of pictures so far
    this.stretched = 1; // scale of the arrows of forces
    this.history = null; // a player's past frames
    this.readings = null; // returns the values of a signal, by its name, at a frame
    this.wish = null; // called with the names of needed signals
    this.wanted = new Map(); // from an object to the names of its needed signals
    this.fill(payload);
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    this.tick();
  }

  /** Take a scene; its first frame follows. */
  fill(payload) {
    this.header = payload.header;
    this.arrays = payload.arrays;
    this.frame = this.pending = null;
    this.bodies = new Footfall.Bodies(this.meshcat, payload);
  }

  /** Show another scene from now on, with the same view. */
  replace(payload) {
    if (!this.panel) {
      this.meshcat.delete_path(["Bodies"]); // the rest is built with the first frame
      this.fill(payload);
      return;
    }
    const shown = Object.entries(this.switches).map(([name, part]) => [name, part.visible]);
    const followed = this.followable().find(([value]) => value === this.followed)[1];
    for (const name of Footfall.Viewer.contents) this.meshcat.delete_path([name]);
    this.fill(payload);
    this.restore = () => {
      for (const [name, visible] of shown) this.switches[name].visible = visible;
      const again = this.followable().find(([, label]) => label === followed);
      this.follow(again ? again[0] : "none", this.camera.anchor);
    };
  }

  /** Build everything that depends on the scene's size, which the first frame gives. */
  begin() {
    if (this.restore) {
      this.furnish();
      this.panel.dark(document.body.classList.contains("dark"));
      this.panel.name();
      this.restore();
      return;
    }
    this.size = Math.max(this.sphere().radius, 0.5 * this.header.radius);
    this.cell = 10 ** (Math.round(Math.log10(2 * this.size)) - 1);
    this.reach = this.size; // length of an arrow for the total weight
    Footfall.axes(this.meshcat, 0.35 * this.size);
    this.furnish();
    this.arrows.visible = this.header.view.contact_forces;
    this.camera = new Footfall.Camera(this.meshcat, this.size);
    this.panel = new Footfall.Panel(this);
    this.camera.centre();
    this.home();
    this.follow(this.initialFollow());
  }

  /** Build the parts of the scene other than its bodies. */
  furnish() {
    const { meshcat, header, size } = this;
    this.terrain = new Footfall.Terrain(meshcat, header, this.arrays, this.cell);
    this.grounds = this.terrain.planes;
    this.arrows = new Footfall.Arrows(meshcat, header.contacts, this.arrowStyle("Contact forces", "#f0520a"));
    this.mass = new Footfall.MassCentre(meshcat, size);
    this.contacts = new Footfall.Contacts(this);
    this.overlays = {
      points: new Footfall.ContactPoints(meshcat, this.contacts, header.contacts, size),
      cones: new Footfall.FrictionCones(this),
      support: new Footfall.Support(this),
      trail: new Footfall.Trail(this),
      rays: new Footfall.Rays(this),
      frames: Footfall.linkFrames(meshcat, header, 0.16 * size),
      axes: Footfall.jointAxes(meshcat, header, 0.2 * size),
      inertia: Footfall.inertiaBoxes(meshcat, header),
    };
    this.stretch(this.stretched);
  }

  /** The style of all force arrows in this scene. */
  arrowStyle(folder, color) {
    const scale = this.reach / (this.header.weight || 1);
    return { folder, color, scale, longest: 3 * this.reach, thickness: 0.011 * this.size };
  }

  /** Scale the arrows of contact forces by a factor. */
  stretch(factor) {
    this.stretched = factor;
    const { scale, longest } = this.arrowStyle();
    Object.assign(this.arrows, { scale: factor * scale, longest: Math.max(factor, 1) * longest });
    if (!this.frame) return;
    this.arrows.set(this.frame.position, this.frame.force);
    if (this.overlays.cones.visible) this.overlays.cones.set(this.frame);
    this.redraw();
  }

  /** Objects that can be shown and hidden, by the name of their button. */
  get switches() {
    const { arrows: forces, mass: com, look } = this;
    return { forces, com, collision: this.bodies.collision, ...this.overlays, shadows: look.shadow };
  }

  /** Draw this frame next; it replaces one that still waits. */
  show(frame) {
    this.clock.note(frame.time, frame.wall);
    this.pending = frame;
  }

  tick() {
    requestAnimationFrame(this.tick);
    const now = performance.now();
    if (this.pending) this.apply(this.pending);
    if (this.frame && this.camera.update((now - this.last) / 1000)) this.redraw();
    this.last = now;
    const drawing = this.meshcat.needs_render && this.frame !== null;
    if (drawing) this.draw();
    this.quality.note(now, drawing);
  }

  apply(frame) {
    const first = !this.frame;
    this.frame = frame;
    this.pending = null;
    this.bodies.pose(frame.poses);
    if (first) this.begin();
    this.terrain.pose(frame.poses);
    this.arrows.set(frame.position, frame.force);
    for (const part of Object.values(this.overlays)) if (part.visible) part.set(frame);
    this.mass.set(frame.com, this.groundBelow(frame.com));
    for (const watch of this.watchers) watch(frame);
    this.panel.time(frame.time, this.clock.rate);
    this.camera.track(frame);
    this.redraw();
  }

  draw() {
    const target = this.camera.target;
    this.look.aim(target, Math.max(1.2 * this.size, 0.4 * this.camera.distance));
    const range = Math.max(14 * this.size, 5 * this.camera.distance);
    this.terrain.aim(target, range);
    for (const prepare of this.before) prepare();
    this.meshcat.render();
    this.drawn += 1;
  }

  /** Request the values of these signals with every frame from now on, if they are not sent anyway. */
  want(who, names) {
    this.wanted.set(who, names);
    this.wish?.([...new Set([...this.wanted.values()].flat())]);
  }

  /** Draw rays again: their readings can arrive after their frame. */
  refreshRays() {
    const rays = this.overlays?.rays;
    if (!rays?.visible || !this.frame) return;
    rays.set(this.frame);
    this.redraw();
  }

  redraw() {
    this.meshcat.set_dirty();
  }

  /** Draw a frame at once, the camera moved on by `pause` [s]; return it as the data URL of an image. */
  picture(frame, pause, kind) {
    this.apply(frame);
    this.camera.update(pause);
    this.draw();
    return this.meshcat.renderer.domElement.toDataURL(kind, 0.95);
  }

  /** Put the camera at the first three of six numbers, looking at the others, world, [m]; null: unchanged. */
  pose(numbers) {
    const { Vector3 } = MeshCat.THREE;
    if (!numbers) return;
    this.follow("none");
    this.camera.place(new Vector3(...numbers.slice(0, 3)), new Vector3(...numbers.slice(3)));
    this.redraw();
  }

  /** Prepare a picture: no panels; if `on`, only bodies, without background, ground and world frame. */
  bare(on) {
    for (const id of ["panel", "side", "bar"]) document.getElementById(id).hidden = true;
    this.quality.choose("high", false);
    this.camera.centre();
    this.home();
    if (on) this.meshcat.scene.background = null;
    for (const name of ["Ground", "World frame"]) this.meshcat.scene_tree.find([name]).object.visible = !on;
  }

  /** The sphere around everything, down to the ground below it. */
  sphere() {
    const { Sphere, Vector3 } = MeshCat.THREE;
    const box = this.bodies.box();
    if (box.isEmpty()) box.expandByPoint(new Vector3().fromArray(this.frame.com));
    const centre = box.getCenter(new Vector3());
    const reach = 20 * Math.max(box.getSize(new Vector3()).length(), this.header.radius);
    for (const { kind, normal, offset } of this.header.grounds) {
      if (kind !== "plane") continue;
      const n = new Vector3(...normal);
      const height = n.dot(centre) - offset;
      if (Math.abs(height) < reach) box.expandByPoint(centre.clone().addScaledVector(n, -height));
    }
    return box.getBoundingSphere(new Sphere());
  }

  /** Look at everything from the default side. */
  home() {
    const { center, radius } = this.sphere();
    const hilly = this.header.grounds.some(({ kind }) => kind !== "plane");
    const reach = Math.max(radius, this.size);
    const around = Math.max(1.25 * reach, 1.5 * this.header.radius); // some of the hills
    this.camera.look(center, hilly ? around : reach, hilly ? 0.35 : 0);
    this.follow(this.followed);
    this.redraw();
  }

  /** Targets of the camera: pairs of a value for `follow` and a label. */
  followable() {
    const tracks = this.header.tracks.map(([name], k) => [`track ${k}`, name]);
    return [["none", "nothing"], ...tracks, ["com", "centre of mass"]];
  }

  initialFollow() {
    const base = this.header.tracks.length ? "track 0" : "none";
    return { none: "none", base, com: "com" }[this.header.view.follow];
  }

  /** Follow one of `followable`, as if it had been at the point `from` so far (null: its current point). */
  follow(value, from = null) {
    const { Vector3 } = MeshCat.THREE;
    this.followed = value || "none";
    const link = /^track/.test(this.followed) ? this.header.tracks[Number(value.slice(6))][1] : null;
    let choice = null;
    if (link !== null) choice = (frame) => new Vector3().fromArray(frame.poses, 7 * link);
    if (this.followed === "com") choice = (frame) => new Vector3().fromArray(frame.com);
    this.camera.follow(choice, this.frame, from);
    this.panel.refresh();
  }

  /** The height of the first plane above or below a point, [m]; its own without a plane. */
  groundBelow([x, y, z]) {
    const still = this.header.ground_link === null;
    for (const { kind, normal, offset } of still ? this.header.grounds : []) {
      if (kind === "plane" && normal[2] > 0.1) return (offset - normal[0] * x - normal[1] * y) / normal[2];
    }
    return z;
  }

  /** Show or hide one of `switches`. */
  toggle(name) {
    const part = this.switches[name];
    part.visible = !part.visible;
    if (part.visible && this.frame) this.overlays[name]?.set(this.frame);
    this.panel.refresh();
    this.redraw();
  }
};

/** Folders of the scene tree that are removed with the scene. */
Footfall.Viewer.contents = ["Bodies", "Ground", "Contact forces", "Centre of mass", "Contact points", "Friction cones"];
Footfall.Viewer.contents.push("Support polygon", "Trail", "Rays", "Link frames", "Joint axes", "Inertia boxes");
