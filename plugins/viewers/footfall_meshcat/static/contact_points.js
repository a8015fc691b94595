"use strict";

/** Numbers of a contact between bodies in a frame, beside where it is and its force. */
Footfall.pair = 7;

/** What is known of contacts: who touches, the ground's normal there, friction and how much is used. */
Footfall.Contacts = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.caster = new MeshCat.THREE.Raycaster();
    this.normals = new Map(); // from a contact to where its normal was looked up, and the normal
    this.tuned = new Map(); // from a tunable's path to its value
    const { grounds, points = [] } = viewer.header;
    this.points = points; // declared: of each its name, and friction of its sides and of the pair
    this.rough = grounds.some(({ kind }) => kind !== "plane");
    this.body = points.map(([name]) => name.split("/")[0]);
  }

  /** Take what a run says of coefficients that were tuned. */
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
   * part of friction that holds, NaN where friction is not known. One between bodies has `bodies`, their numbers, too.
   * Mode `none`: there is no such contact; `touches`: nothing but its force is known.
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

  /** The state of a declared point with its mode as the law left it, where that is told. */
  known(k, frame, state) {
    const status = this.viewer.readings?.(Footfall.Contacts.status, frame)?.[k];
    return { ...state, mode: [state.mode, "sticks", "slips"][status] || state.mode };
  }

  /** A contact between bodies, of which `known` are the numbers of a frame. */
  pair(f, presses, known) {
    const normal = new MeshCat.THREE.Vector3(...known);
    const [friction, status, ...bodies] = known.subarray(3, Footfall.pair);
    if (!(normal.lengthSq() > 0)) return presses ? { force: f.length(), mode: "touches" } : { force: 0, mode: "none" };
    if (!presses) return { force: 0, mode: "open", bodies };
    const state = this.state(f, normal, friction);
    return { ...state, mode: [state.mode, "sticks", "slips"][status], bodies };
  }

  /** How a force f presses and rubs. */
  state(f, normal, friction) {
    const [force, pressure] = [f.length(), f.dot(normal)];
    const rubbing = Math.sqrt(Math.max(force * force - pressure * pressure, 0));
    const used = friction === 0 ? 0 : rubbing / (friction * Math.max(pressure, 1e-12));
    return { force, mode: used > 0.998 || friction === 0 ? "slips" : "sticks", normal, pressure, friction, used };
  }

  /** Which body is at the other end of a contact between bodies than a body of this name; undefined if that is at neither. */
  other({ bodies = [] }, name) {
    const names = bodies.map((body) => (body < 0 ? "what stands still" : this.viewer.header.tracks[body][0]));
    if (!names.includes(name)) return undefined;
    return names[0] === name ? names[1] : names[0];
  }
};

/** The signal that tells whether declared points stick or slip. */
Footfall.Contacts.status = "contact_status";

/** Balls at contact points: grey where open, green where they stick, red where they slip, orange where that is not known. */
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

/** Friction cones of what touches, to the side that the force acts on: as high as the force's part along the normal. */
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

/** Coefficient of friction beyond which a cone is drawn no wider. */
Footfall.FrictionCones.widest = 3;
