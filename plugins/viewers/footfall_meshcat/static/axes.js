"use strict";

/** The world frame: x red, y green, z blue, each `length` metres long. */
Footfall.axes = function (meshcat, length) {
  const THREE = MeshCat.THREE;
  const group = meshcat.scene_tree.find(["World frame"]).object;
  const width = 0.014 * length;
  const turns = { "#d9383a": [0, 0, -1], "#2f9e44": [0, 0, 0], "#2166d1": [1, 0, 0] };
  for (const [color, [x, , z]] of Object.entries(turns)) {
    const material = new THREE.MeshBasicMaterial({ color: new THREE.Color(color).convertSRGBToLinear() });
    const shaft = new THREE.CylinderGeometry(width, width, 0.84 * length, 16).translate(0, 0.42 * length, 0);
    const head = new THREE.ConeGeometry(3 * width, 0.16 * length, 24).translate(0, 0.92 * length, 0);
    for (const geometry of [shaft, head]) {
      geometry.rotateZ((z * Math.PI) / 2).rotateX((x * Math.PI) / 2);
      group.add(new THREE.Mesh(geometry, material));
    }
  }
};
