"use strict";

/** What contacts are found with: glass over the visible shapes, with edges; off at first. */
Footfall.CollisionShapes = class {
  constructor() {
    const { Color, LineBasicMaterial, MeshBasicMaterial } = MeshCat.THREE;
    const color = new Color("#00857a").convertSRGBToLinear();
    this.glass = new MeshBasicMaterial({ color, transparent: true, opacity: 0.3, depthWrite: false });
    this.glass.polygonOffset = true; // often a collision shape is a visible one again
    this.glass.polygonOffsetFactor = this.glass.polygonOffsetUnits = -1;
    this.ink = new LineBasicMaterial({ color });
    this.groups = [];
    this.edges = new Map(); // of each geometry, made when first seen
    this.shown = false;
  }

  /** Take a shape that moves with `parent` and sits there at `matrix`. */
  add(parent, geometry, matrix) {
    const group = new MeshCat.THREE.Group();
    group.matrixAutoUpdate = false;
    group.matrix.copy(matrix);
    group.visible = this.shown;
    group.userData.geometry = geometry;
    parent.add(group);
    this.groups.push(group);
  }

  get exists() {
    return this.groups.length > 0;
  }

  get visible() {
    return this.shown && this.exists;
  }

  set visible(on) {
    this.shown = on;
    for (const group of this.groups) {
      if (on && !group.children.length) this.furnish(group);
      group.visible = on;
    }
  }

  furnish(group) {
    const { EdgesGeometry, LineSegments, Mesh } = MeshCat.THREE;
    const geometry = group.userData.geometry;
    if (!this.edges.has(geometry)) this.edges.set(geometry, new EdgesGeometry(geometry, 15));
    const glass = new Mesh(geometry, this.glass);
    glass.renderOrder = 1;
    group.add(glass, new LineSegments(this.edges.get(geometry), this.ink));
  }
};
