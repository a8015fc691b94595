"use strict";

/** Number of values of a contact between bodies in a frame, beside its position and force. */
Footfall.pair = 7;

/** Data of contacts: the bodies, the ground's normal, friction and its used part. */
Footfall.Contacts = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.caster = new MeshCat.THREE.Raycaster();
    this.normals = new Map(); // from a contact to the place of its last normal, and that normal
    this.tuned = new Map(); // from a tunable's path to its value
    const { grounds, points = [] } = viewer.header;
    this.points = points; // declared points: name, and friction of both sides and of the pair
    this.rough = grounds.some(({ kind }) => kind !== "plane");
    this.body = points.map(([name]) => name.split("/")[0]);
  }

  /** Take tuned coefficients from a run's status. */
  status({ tunables }) {
    for (const { path, value } of tunables) if (path.endsWith("friction")) this.tuned.set(path, value);
  }

  /** Coefficient of friction of a declared point: its pair's, one side's, or the harmonic mean. */
  friction(k) {
    const [, own, ground, pair] = this.points[k];
    const body = this.body[k];
    const now = (path, value) => this.tuned.get(path) ?? value;
    const both = now(`pairs."${body}/terrain".friction`, pair);
    const mine = now(`bodies.${body}.friction`, own);
    const its = now("world.terrain.friction", ground);
    if (both !== null) return both;
    if (mine === null || its === null) return mine ?? its ?? 0;
    return mine + its > 0 ? (2 * mine * its) / (mine + its) : 0;
  }

  /** The ground's upward normal at a point, both in world axes. */
  normal(k, position) {
    const { Vector3 } = MeshCat.THREE;
    const at = new Vector3().fromArray(position, 3 * k);
    const before = this.normals.get(k);
    if (before && before.at.distanceTo(at) < 1e-3 * this.viewer.size) return before.normal;
    const normal = (this.rough && this.below(at)) || this.plane();
    this.normals.set(k, { at, normal });
    return normal;
  }

  plane() {
    const { header, terrain } = this.viewer;
    const flat = header.grounds.find(({ kind }) => kind === "plane");
    return new MeshCat.THREE.Vector3(...(flat ? flat.normal : [0, 0, 1])).applyQuaternion(terrain.frame.quaternion);
  }

  /** The normal of the surface just above or below a point; null without one. */
  below(at) {
    const { Vector3 } = MeshCat.THREE;
    const { meshcat, terrain, size } = this.viewer;
    meshcat.scene.updateMatrixWorld();
    const from = meshcat.scene.localToWorld(at.clone().add(new Vector3(0, 0, 0.2 * size)));
    this.caster.set(from, new Vector3(0, -1, 0)); // the viewer's own axes have y up
    this.caster.far = 0.6 * size;
    const surfaces = terrain.frame.children.filter(({ children }) => children.some(({ isLineSegments }) => isLineSegments));
    const hit = this.caster.intersectObjects(surfaces, true).find(({ object }) => object.isMesh);
    if (!hit) return null;
    const normal = hit.face.normal.clone().transformDirection(hit.object.matrixWorld);
    normal.applyQuaternion(meshcat.scene.quaternion.clone().invert());
    return normal.z < 0 ? normal.negate() : normal;
  }

  /**
   * A contact of a frame: { force [N], mode, normal, pressure [N], friction, used }; `used`: the
   * used fraction of friction, NaN if friction is unknown. A contact between bodies also has `bodies`, their numbers.
   * Mode `none`: there is no such contact; `touches`: only its force is known.
   */
  at(k, frame) {
    const { position, force, between } = frame;
    if (3 * k >= force.length) return { force: 0, mode: "none" };
    const f = new MeshCat.THREE.Vector3().fromArray(force, 3 * k);
    const presses = f.length() > 1e-9 * this.viewer.header.weight;
    if (k >= this.points.length) return this.pair(f, presses, between.subarray(Footfall.pair * (k - this.points.length)));
    if (!presses) return { force: 0, mode: "open" };
    return this.known(k, frame, this.state(f, this.normal(k, position), this.friction(k)));
  }

  /** The state of a declared point, with the law's own mode if the run sends it. */
  known(k, frame, state) {
    const status = this.viewer.readings?.(Footfall.Contacts.status, frame)?.[k];
    return { ...state, mode: [state.mode, "sticks", "slips"][status] || state.mode };
  }

  /** A contact between bodies; `known` are its values in a frame. */
  pair(f, presses, known) {
    const normal = new MeshCat.THREE.Vector3(...known);
    const [friction, status, ...bodies] = known.subarray(3, Footfall.pair);
    if (!(normal.lengthSq() > 0)) return presses ? { force: f.length(), mode: "touches" } : { force: 0, mode: "none" };
    if (!presses) return { force: 0, mode: "open", bodies };
    const state = this.state(f, normal, friction);
    return { ...state, mode: [state.mode, "sticks", "slips"][status], bodies };
  }

  /** The normal and tangential parts of a force f. */
  state(f, normal, friction) {
    const [force, pressure] = [f.length(), f.dot(normal)];
    const rubbing = Math.sqrt(Math.max(force * force - pressure * pressure, 0));
    const used = friction === 0 ? 0 : rubbing / (friction * Math.max(pressure, 1e-12));
    return { force, mode: used > 0.998 || friction === 0 ? "slips" : "sticks", normal, pressure, friction, used };
  }

  /** The other body of a contact between bodies; undefined if the named body is neither of them. */
  other({ bodies = [] }, name) {
    const names = bodies.map((body) => (body < 0 ? "a fixed object" : this.viewer.header.tracks[body][0]));
    if (!names.includes(name)) return undefined;
    return names[0] === name ? names[1] : names[0];
  }
};

/** Name of the signal with the state (stick or slip) of declared points. */
Footfall.Contacts.status = "contact_status";

/** Balls at contact points: grey if open, green if they stick, red if they slip, orange if unknown. */
Footfall.ContactPoints = class {
  constructor(meshcat, contacts, count, size) {
    const { Color, InstancedMesh, MeshBasicMaterial, SphereGeometry } = MeshCat.THREE;
    Object.assign(this, { contacts, count });
    this.group = meshcat.scene_tree.find(["Contact points"]).object;
    this.group.visible = false;
    this.colors = Object.fromEntries(
      Object.entries(Footfall.ContactPoints.colors).map(([mode, paint]) => [mode, new Color(paint).convertSRGBToLinear()]),
    );
    this.radius = 0.013 * size;
    const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 });
    this.balls = new InstancedMesh(new SphereGeometry(1, 16, 12), material, Math.max(count, 1));
    this.balls.frustumCulled = false;
    this.balls.renderOrder = 4;
    this.balls.count = count;
    this.group.add(this.balls);
  }

  get exists() {
    return this.count > 0;
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
    this.contacts.viewer.want("points", on ? [Footfall.Contacts.status] : []);
  }

  set(frame) {
    const { Matrix4, Quaternion, Vector3 } = MeshCat.THREE;
    const matrix = new Matrix4();
    this.balls.count = Math.min(this.count, frame.force.length / 3);
    for (let k = 0; k < this.balls.count; k++) {
      const { mode } = this.contacts.at(k, frame);
      const radius = this.radius * ({ none: 0, open: 0.6 }[mode] ?? 1);
      const at = new Vector3().fromArray(frame.position, 3 * k);
      this.balls.setMatrixAt(k, matrix.compose(at, new Quaternion(), new Vector3(radius, radius, radius)));
      this.balls.setColorAt(k, this.colors[mode] || this.colors.open);
    }
    this.balls.instanceMatrix.needsUpdate = true;
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
  }
};

Footfall.ContactPoints.colors = { open: "#8b98a6", sticks: "#2f9e44", slips: "#d6336c", touches: "#f08c00" };

/** Friction cones at touching points, on the side on which the force acts; their height is the normal force. */
Footfall.FrictionCones = class {
  constructor(viewer) {
    const { ConeGeometry, DoubleSide, InstancedMesh } = MeshCat.THREE;
    this.viewer = viewer;
    this.count = viewer.header.contacts;
    this.group = viewer.meshcat.scene_tree.find(["Friction cones"]).object;
    this.group.visible = false;
    const cone = new ConeGeometry(1, 1, 40, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5); // opens along z
    const glass = Footfall.Attached.paint("#1971c2", 0.28);
    Object.assign(glass, { side: DoubleSide, depthWrite: false, depthTest: true });
    this.cones = new InstancedMesh(cone, glass, Math.max(this.count, 1));
    this.cones.frustumCulled = false;
    this.cones.renderOrder = 2;
    this.cones.count = this.count;
    this.group.add(this.cones);
  }

  get exists() {
    return this.count > 0;
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  set(frame) {
    const { Matrix4, Quaternion, Vector3 } = MeshCat.THREE;
    const { contacts, arrows } = this.viewer;
    const up = new Vector3(0, 0, 1);
    this.cones.count = Math.min(this.count, frame.force.length / 3);
    for (let k = 0; k < this.cones.count; k++) {
      const { force, pressure = 0, friction, normal = up } = contacts.at(k, frame);
      const stretch = force > 0 ? Math.min(arrows.scale, arrows.longest / force) : 0;
      const height = stretch * Math.max(pressure, 0);
      const wide = Math.min(friction || 0, Footfall.FrictionCones.widest) * height;
      const at = new Vector3().fromArray(frame.position, 3 * k);
      const turn = new Quaternion().setFromUnitVectors(up, normal);
      this.cones.setMatrixAt(k, new Matrix4().compose(at, turn, new Vector3(wide, wide, height)));
    }
    this.cones.instanceMatrix.needsUpdate = true;
  }
};

/** Coefficient of friction above which a cone is not drawn wider. */
Footfall.FrictionCones.widest = 3;
