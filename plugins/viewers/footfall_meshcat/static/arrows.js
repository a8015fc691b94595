"use strict";

/** Forces as arrows; parts hidden by a body are drawn faintly. */
Footfall.Arrows = class {
  /**
   * `style`: `folder` in the scene tree, `color`, `scale` [m/N], `longest` and `thickness` [m].
   */
  constructor(meshcat, count, { folder, color: paint, scale, longest, thickness }) {
    const THREE = MeshCat.THREE;
    Object.assign(this, { count, scale, longest, thickness });
    this.group = meshcat.scene_tree.find([folder]).object;
    const up = (geometry) => geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const shaft = up(new THREE.CylinderGeometry(1, 1, 1, 16));
    const head = up(new THREE.ConeGeometry(2.6, 1, 24));
    const color = new THREE.Color(paint).convertSRGBToLinear();
    const seen = new THREE.MeshStandardMaterial({ color, roughness: 0.5, emissive: color, emissiveIntensity: 0.35 });
    const hidden = new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.38, depthWrite: false });
    hidden.depthFunc = THREE.GreaterDepth;
    this.parts = [shaft, head].map((geometry) => {
      const matrices = new THREE.InstancedBufferAttribute(new Float32Array(16 * count), 16);
      matrices.setUsage(THREE.DynamicDrawUsage);
      for (const material of [seen, hidden]) {
        const mesh = new THREE.InstancedMesh(geometry, material, count);
        mesh.instanceMatrix = matrices;
        mesh.frustumCulled = false;
        mesh.renderOrder = material === hidden ? 2 : 1;
        this.group.add(mesh);
      }
      return matrices;
    });
  }

  get visible() {
    return this.group.visible;
  }

  set visible(on) {
    this.group.visible = on;
  }

  /** Put arrow k at point k of `position` along force k of `force`, both flat x, y, z lists; hide the others. */
  set(position, force) {
    const { Matrix4, Quaternion, Vector3 } = MeshCat.THREE;
    const [shaft, head] = this.parts;
    const up = new Vector3(0, 0, 1);
    const matrix = new Matrix4();
    for (let k = 0; k < this.count; k++) {
      if (3 * k >= force.length) {
        for (const part of [shaft, head]) part.array.fill(0, 16 * k);
        break;
      }
      const at = new Vector3().fromArray(position, 3 * k);
      const along = new Vector3().fromArray(force, 3 * k);
      const length = Math.min(this.scale * along.length(), this.longest);
      const turn = new Quaternion().setFromUnitVectors(up, along.normalize());
      const width = length > 0 ? Math.min(this.thickness, 0.12 * length) : 0;
      const tip = Math.min(6 * width, 0.5 * length);
      matrix.compose(at, turn, new Vector3(width, width, length - tip)).toArray(shaft.array, 16 * k);
      at.addScaledVector(along, length - tip);
      matrix.compose(at, turn, new Vector3(width, width, tip)).toArray(head.array, 16 * k);
    }
    shaft.needsUpdate = head.needsUpdate = true;
  }
};
