"use strict";

/** The ground: planes and surfaces in its own frame, which a row of the pose array may move. */
Footfall.Terrain = class {
  constructor(meshcat, header, arrays, cell) {
    this.row = header.ground_link;
    this.frame = new MeshCat.THREE.Group();
    meshcat.scene_tree.find(["Ground"]).object.add(this.frame);
    [this.planes, this.surfaces] = [[], []];
    for (const ground of header.grounds) {
      if (ground.kind === "plane") this.planes.push(new Footfall.Ground(this.frame, ground, cell));
      else this.surfaces.push(Footfall.relief(ground, arrays));
    }
    if (this.surfaces.length) this.frame.add(...this.surfaces);
  }

  /** Paint it for a dark page or a light one; patches keep their own colours. */
  dark(on) {
    for (const plane of this.planes) plane.dark(on);
    for (const { children } of this.surfaces) {
      const [{ material }] = children;
      if (material.vertexColors) material.color.setScalar(on ? 0.15 : 1);
    }
  }

  /** Take the ground's pose from those of a frame, if it moves. */
  pose(poses) {
    if (this.row === null) return;
    const k = 7 * this.row;
    this.frame.position.set(poses[k], poses[k + 1], poses[k + 2]);
    this.frame.quaternion.set(poses[k + 3], poses[k + 4], poses[k + 5], poses[k + 6]);
  }

  /** Centre all planes below the world point `target`; they end at `range` [m] from there. */
  aim(target, range) {
    const local = target.clone().sub(this.frame.position);
    local.applyQuaternion(this.frame.quaternion.clone().invert());
    for (const plane of this.planes) plane.aim(local, range);
  }
};
