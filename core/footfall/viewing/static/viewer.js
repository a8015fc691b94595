"use strict";

/**
 * A scene in a page. Give it frames with `show`; it draws the newest when the browser is ready.
 *
 * A frame: { time, wall, poses, com, position, force }; times in [s], the others flat lists as in
 * footfall/roles/visualizer.py.
 */
Footfall.Viewer = class {
  constructor(container, payload) {
    this.header = payload.header;
    this.meshcat = new MeshCat.Viewer(container, false);
    for (const name of ["Save / Load / Capture", "Animations"]) {
      this.meshcat.gui.removeFolder(this.meshcat.gui.__folders[name]);
    }
    this.radius = this.header.radius;
    this.cell = 10 ** (Math.round(Math.log10(2 * this.radius)) - 1);
    this.reach = 1.6 * this.radius; // length of an arrow as strong as the weight
    this.look = new Footfall.Look(this.meshcat);
    this.bodies = new Footfall.Bodies(this.meshcat, payload);
    this.grounds = this.header.grounds.map(
      (ground, k) => new Footfall.Ground(this.meshcat, ground, `plane ${k}`, this.cell),
    );
    Footfall.axes(this.meshcat, 0.4 * this.radius);
    const scale = this.reach / (this.header.weight || 1);
    this.arrows = new Footfall.Arrows(
      this.meshcat, this.header.contacts, scale, 3 * this.reach, 0.012 * this.radius,
    );
    this.arrows.visible = this.header.view.contact_forces;
    this.camera = new Footfall.Camera(this.meshcat, this.radius);
    this.clock = new Footfall.Clock();
    this.panel = new Footfall.Panel(this);
    this.frame = this.pending = null;
    this.drawn = 0; // pictures so far
    this.applied = 0; // frames so far
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    this.tick();
  }

  /** Draw this frame next, instead of any that still waits. */
  show(frame) {
    this.clock.note(frame.time, frame.wall);
    this.pending = frame;
  }

  tick() {
    requestAnimationFrame(this.tick);
    const now = performance.now();
    if (this.pending) this.apply(this.pending);
    if (this.camera.update((now - this.last) / 1000)) this.redraw();
    this.last = now;
    if (this.meshcat.needs_render && this.frame) this.draw();
  }

  apply(frame) {
    const first = !this.frame;
    this.frame = frame;
    this.pending = null;
    this.bodies.pose(frame.poses);
    this.arrows.set(frame.position, frame.force);
    this.panel.time(frame.time, this.clock.rate);
    if (first) this.home();
    if (first) this.follow(this.initialFollow(), false);
    this.camera.track(frame);
    this.applied += 1;
    this.redraw();
  }

  draw() {
    const target = this.camera.target;
    this.look.aim(target, Math.max(this.radius, 0.5 * this.camera.distance));
    const range = Math.max(14 * this.radius, 5 * this.camera.distance);
    for (const ground of this.grounds) ground.aim(target, range);
    this.meshcat.render();
    this.drawn += 1;
  }

  redraw() {
    this.meshcat.set_dirty();
  }

  /** Look at everything, down to the ground below it, from the default side. */
  home() {
    const { Sphere, Vector3 } = MeshCat.THREE;
    const box = this.bodies.box();
    if (box.isEmpty()) box.expandByPoint(new Vector3().fromArray(this.frame ? this.frame.com : [0, 0, 0]));
    for (const { normal, offset } of this.header.grounds) {
      const n = new Vector3(...normal);
      const centre = box.getCenter(new Vector3());
      const below = centre.clone().addScaledVector(n, offset - n.dot(centre));
      if (below.distanceTo(centre) < 20 * this.radius) box.expandByPoint(below);
    }
    const sphere = box.getBoundingSphere(new Sphere());
    this.camera.look(sphere.center, Math.max(sphere.radius, this.radius));
    this.follow(this.followed, false);
    this.redraw();
  }

  /** What the camera can follow: pairs of a value for `follow` and a label. */
  followable() {
    const tracks = this.header.tracks.map(([name], k) => [`track ${k}`, name]);
    return [["none", "nothing"], ...tracks, ["com", "centre of mass"]];
  }

  initialFollow() {
    const base = this.header.tracks.length ? "track 0" : "none";
    return { none: "none", base, com: "com" }[this.header.view.follow];
  }

  /** Follow one of `followable`; glide there, or start from where it is now. */
  follow(value, glide) {
    const { Vector3 } = MeshCat.THREE;
    this.followed = value || "none";
    const link = /^track/.test(this.followed) ? this.header.tracks[Number(value.slice(6))][1] : null;
    let choice = null;
    if (link !== null) choice = (frame) => new Vector3().fromArray(frame.poses, 7 * link);
    if (this.followed === "com") choice = (frame) => new Vector3().fromArray(frame.com);
    this.camera.follow(choice, this.frame, glide);
    this.panel.refresh();
  }

  toggleForces() {
    this.arrows.visible = !this.arrows.visible;
    this.panel.refresh();
    this.redraw();
  }

  toggleShadows() {
    this.look.shadows = !this.look.shadows;
    this.panel.refresh();
    this.redraw();
  }
};
