"use strict";

/** The frame of every link: x red, y green, z blue; drawn over everything, off at first. */
Footfall.LinkFrames = class {
  /** `length` of an axis, [m]. */
  constructor(meshcat, links, length) {
    const THREE = MeshCat.THREE;
    this.links = links;
    this.group = meshcat.scene_tree.find(["Link frames"]).object;
    this.group.visible = false;
    this.matrices = new THREE.InstancedBufferAttribute(new Float32Array(16 * links), 16);
    this.matrices.setUsage(THREE.DynamicDrawUsage);
    const turns = { "#d9383a": ["z", -1], "#2f9e44": ["y", 0], "#2166d1": ["x", 1] };
    for (const [paint, [axis, quarter]] of Object.entries(turns)) {
      const color = new THREE.Color(paint).convertSRGBToLinear();
      const material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true });
      const rod = new THREE.CylinderGeometry(0.03 * length, 0.03 * length, length, 8);
      rod.translate(0, length / 2, 0)[`rotate${axis.toUpperCase()}`]((quarter * Math.PI) / 2);
      const mesh = new THREE.InstancedMesh(rod, material, links);
      mesh.instanceMatrix = this.matrices;
      mesh.frustumCulled = false;
      mesh.renderOrder = 3;
      this.group.add(mesh);
    }
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  /** Move every frame; `poses` holds x, y, z and quaternion x, y, z, w of each link. */
  pose(poses) {
    if (!this.visible) return;
    const { Matrix4, Quaternion, Vector3 } = MeshCat.THREE;
    const [matrix, size] = [new Matrix4(), new Vector3(1, 1, 1)];
    for (let k = 0; k < this.links; k++) {
      const at = new Vector3().fromArray(poses, 7 * k);
      const turn = new Quaternion().fromArray(poses, 7 * k + 3);
      matrix.compose(at, turn, size).toArray(this.matrices.array, 16 * k);
    }
    this.matrices.needsUpdate = true;
  }
};
