"use strict";

/** Highlights all shapes of one link. */
Footfall.Highlight = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.lit = []; // highlighted meshes, each with its own material or materials
    this.link = null; // row of the poses, null for none
  }

  /** Highlight the link of that row of the poses, and no other. */
  set(link) {
    if (link === this.link) return;
    this.clear();
    this.link = link;
    for (const mesh of link === null ? [] : this.viewer.bodies.meshes) {
      if (mesh.userData.link !== link) continue;
      this.lit.push([mesh, mesh.material]);
      mesh.layers.enable(0); // drawn over its copy among equal shapes
      mesh.renderOrder = 1;
      mesh.material = Array.isArray(mesh.material) ? mesh.material.map(this.bright) : this.bright(mesh.material);
    }
    this.viewer.redraw();
  }

  /** A brighter copy of a material. */
  bright(material) {
    const copy = material.clone();
    copy.emissive = new MeshCat.THREE.Color("#1f6feb");
    copy.emissiveIntensity = 0.28;
    return copy;
  }

  clear() {
    for (const [mesh, material] of this.lit) {
      for (const bright of [mesh.material].flat()) bright.dispose();
      mesh.material = material;
      if (mesh.userData.alike) mesh.layers.disable(0);
      mesh.renderOrder = 0;
    }
    this.lit = [];
    this.link = null;
  }
};
