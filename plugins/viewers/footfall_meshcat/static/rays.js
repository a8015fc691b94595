"use strict";

/**
 * Rays of sensors at their last reading, from the sensor's place: lines to dots at hits, and faint
 * lines of the sensor's range without a hit.
 */
Footfall.Rays = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.group = viewer.meshcat.scene_tree.find(["Rays"]).object;
    this.group.visible = false;
    this.fans = (viewer.header.rays || []).map((fan, k) => this.fan(fan, viewer.arrays[`rays${k}`]));
    this.count = this.fans.reduce((sum, { rays }) => sum + rays.length / 6, 0);
    const { LineSegments, LineBasicMaterial, Points, PointsMaterial } = MeshCat.THREE;
    const paint = (Material, color, opacity, more) =>
      new Material({ color: new MeshCat.THREE.Color(color).convertSRGBToLinear(), opacity, transparent: true, depthWrite: false, ...more });
    this.hits = this.part(LineSegments, paint(LineBasicMaterial, "#0c8599", 0.3), 2);
    this.misses = this.part(LineSegments, paint(LineBasicMaterial, "#868e96", 0.13), 2);
    this.dots = this.part(Points, paint(PointsMaterial, "#0b7285", 1, { size: 4, sizeAttenuation: false, depthTest: false }), 1);
  }

  fan([name, link, range], rays) {
    return { name, link, range, rays };
  }

  /** An object of the scene with room for `points` points per ray. */
  part(Kind, material, points) {
    const { BufferAttribute, BufferGeometry, DynamicDrawUsage } = MeshCat.THREE;
    const places = new BufferAttribute(new Float32Array(3 * points * this.count), 3).setUsage(DynamicDrawUsage);
    const object = new Kind(new BufferGeometry().setAttribute("position", places), material);
    Object.assign(object, { frustumCulled: false, renderOrder: 3 });
    this.group.add(object);
    return object;
  }

  get exists() {
    return this.count > 0;
  }

  get visible() {
    return this.group.visible;
  }

  /** Show or hide the rays; a run sends the readings only while they are shown. */
  set visible(on) {
    this.group.visible = on;
    this.viewer.want("rays", on ? this.fans.map(({ name }) => name) : []);
  }

  set(frame) {
    const used = new Map([this.hits, this.misses, this.dots].map((part) => [part, 0]));
    const put = (part, point) => {
      part.geometry.attributes.position.setXYZ(used.get(part), point.x, point.y, point.z);
      used.set(part, used.get(part) + 1);
    };
    for (const fan of this.fans) this.trace(fan, frame, put);
    for (const [part, count] of used) {
      part.geometry.setDrawRange(0, count);
      part.geometry.attributes.position.needsUpdate = true;
    }
  }

  trace({ name, link, range, rays }, frame, put) {
    const { Quaternion, Vector3 } = MeshCat.THREE;
    const read = this.viewer.readings?.(name, frame);
    if (!read) return;
    const at = new Vector3().fromArray(frame.poses, 7 * link);
    const turn = new Quaternion().fromArray(frame.poses, 7 * link + 3);
    for (let k = 0; 6 * k < rays.length; k++) {
      if (!Number.isFinite(read[k])) continue;
      const from = new Vector3().fromArray(rays, 6 * k).applyQuaternion(turn).add(at);
      const along = new Vector3().fromArray(rays, 6 * k + 3).applyQuaternion(turn);
      const to = from.clone().addScaledVector(along, Math.min(read[k], range));
      const met = read[k] < Footfall.Rays.end * range;
      for (const point of [from, to]) put(met ? this.hits : this.misses, point);
      if (met) put(this.dots, to);
    }
  }
};

/** Fraction of the range from which a reading counts as no hit, since readings can have errors. */
Footfall.Rays.end = 0.995;
