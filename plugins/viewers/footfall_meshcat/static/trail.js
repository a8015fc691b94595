"use strict";

/**
 * The path of a point so far: the clicked point of a link, or the centre of mass. One dot per frame,
 * up to a largest number: dense dots mean slow motion.
 */
Footfall.Trail = class {
  constructor(viewer) {
    const { BufferAttribute, BufferGeometry, Color, InstancedMesh, Line, LineBasicMaterial } = MeshCat.THREE;
    this.viewer = viewer;
    this.link = null; // row of the poses; null: the centre of mass
    this.local = [0, 0, 0]; // the point in the link's frame, [m]
    this.group = viewer.meshcat.scene_tree.find(["Trail"]).object;
    this.group.visible = false;
    const { most } = Footfall.Trail;
    this.points = new BufferAttribute(new Float32Array(3 * most), 3);
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", this.points);
    const ink = new Color("#c2255c").convertSRGBToLinear();
    const line = new Line(this.geometry, new LineBasicMaterial({ color: ink, transparent: true, depthTest: false }));
    const ball = new MeshCat.THREE.SphereGeometry(0.006 * viewer.size, 8, 6);
    this.dots = new InstancedMesh(ball, Footfall.Attached.paint("#c2255c", 0.9), most);
    [line, this.dots].forEach((part) => Object.assign(part, { frustumCulled: false, renderOrder: 4 }));
    this.group.add(line, this.dots);
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  /** Follow a point of a link from now on; null: the centre of mass. */
  follow(link, local = [0, 0, 0]) {
    Object.assign(this, { link, local });
    if (this.visible && this.viewer.frame) this.set(this.viewer.frame);
  }

  /** The position of the point in a frame, world, [m]. */
  place({ poses, com }) {
    const { Quaternion, Vector3 } = MeshCat.THREE;
    if (this.link === null) return new Vector3(...com);
    const turn = new Quaternion().fromArray(poses, 7 * this.link + 3);
    return new Vector3(...this.local).applyQuaternion(turn).add(new Vector3().fromArray(poses, 7 * this.link));
  }

  set(frame) {
    const { history } = this.viewer;
    const { most } = Footfall.Trail;
    const end = history?.frames.length ? history.row(frame.time) + 1 : 0;
    const stride = Math.max(1, Math.ceil(end / (most - 1)));
    const frames = [];
    for (let k = 0; k < end; k += stride) frames.push(history.frames[k]);
    if (frames[frames.length - 1]?.time !== frame.time) frames.push(frame);
    const matrix = new MeshCat.THREE.Matrix4();
    let count = 0;
    for (const one of frames) {
      const at = this.place(one);
      if (!Number.isFinite(at.x + at.y + at.z)) continue;
      this.points.setXYZ(count, at.x, at.y, at.z);
      this.dots.setMatrixAt(count, matrix.setPosition(at));
      count += 1;
    }
    this.geometry.setDrawRange(0, count);
    this.dots.count = count;
    this.points.needsUpdate = this.dots.instanceMatrix.needsUpdate = true;
  }
};

/** Largest number of points of a trail; of more frames every second, third ... is taken. */
Footfall.Trail.most = 400;
