"use strict";

/** Lights up all shapes of one link. */
Footfall.Highlight = class {
  constructor(viewer) {
    this.viewer = viewer;
    this.lit = []; // pairs of a mesh and its own material
    this.link = null; // row of the poses, null for none
  }

  /** Light up the link of that row of the poses, and no other. */
  set(link) {
    if (link === this.link) return;
    this.clear();
    this.link = link;
    for (const mesh of link === null ? [] : this.viewer.bodies.meshes) {
      if (mesh.userData.link !== link) continue;
      this.lit.push([mesh, mesh.material]);
      mesh.material = mesh.material.clone();
      mesh.material.emissive = new MeshCat.THREE.Color("#1f6feb");
      mesh.material.emissiveIntensity = 0.28;
    }
    this.viewer.redraw();
  }

  clear() {
    for (const [mesh, material] of this.lit) {
      mesh.material.dispose();
      mesh.material = material;
    }
    this.lit = [];
    this.link = null;
  }
};
