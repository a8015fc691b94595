"use strict";

/** Collision shapes: drawn with edges while the visible shapes fade; initially hidden. */
Footfall.CollisionShapes = class {
  /** `materials`: those of the visible shapes. */
  constructor(materials) {
    this.materials = materials;
    const { Color, LineBasicMaterial, MeshBasicMaterial } = MeshCat.THREE;
    const color = new Color("#00857a").convertSRGBToLinear();
    this.glass = new MeshBasicMaterial({ color, transparent: true, opacity: 0.22, depthWrite: false });
    this.glass.polygonOffset = true; // a collision shape often equals a visible one
    this.glass.polygonOffsetFactor = this.glass.polygonOffsetUnits = -1;
    this.ink = new LineBasicMaterial({ color: new Color("#00524b").convertSRGBToLinear() });
    this.groups = [];
    this.edges = new Map(); // edges of each geometry, built on first use
    this.shown = false;
  }

  /** Add a shape that moves with `parent`, at `matrix` in its frame. */
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
    for (const material of this.materials) this.fade(material, on && this.exists);
    for (const group of this.groups) {
      if (on && !group.children.length) this.furnish(group);
      group.visible = on;
    }
  }

  /** Make a material transparent, or restore it. */
  fade(material, on) {
    material.userData.opacity ??= material.opacity;
    material.opacity = (on ? 0.35 : 1) * material.userData.opacity;
    material.transparent = material.opacity < 1;
    material.depthWrite = !on;
    material.needsUpdate = true;
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
