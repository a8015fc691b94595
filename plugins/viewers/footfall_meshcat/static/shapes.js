"use strict";

/** The geometry of a shape in its own frame; round shapes have their axis along z. */
Footfall.geometry = function (shape, arrays) {
  const THREE = MeshCat.THREE;
  const [a, b, c] = shape.size || [];
  const make = {
    box: () => new THREE.BoxGeometry(a, b, c),
    sphere: () => new THREE.SphereGeometry(a, 48, 32),
    cylinder: () => new THREE.CylinderGeometry(a, a, b, 64).rotateX(Math.PI / 2),
    capsule: () => Footfall.capsule(a, b),
    mesh: () => Footfall.surface(shape, arrays),
  };
  const geometry = make[shape.kind]();
  geometry.computeBoundingBox();
  return geometry;
};

/** A capsule: radius, length of its straight part. */
Footfall.capsule = function (radius, length) {
  const { LatheGeometry, Vector2 } = MeshCat.THREE;
  const profile = [];
  const steps = 16;
  for (const side of [-1, 1]) {
    for (let k = 0; k <= steps; k++) {
      const angle = (Math.PI / 2) * (side < 0 ? k / steps - 1 : k / steps);
      const r = Math.max(radius * Math.cos(angle), 0);
      profile.push(new Vector2(r, (side * length) / 2 + radius * Math.sin(angle)));
    }
  }
  const geometry = new LatheGeometry(profile, 48).rotateX(Math.PI / 2);
  return Footfall.roundNormals(geometry, length / 2);
};

/** Exact normals of a capsule: away from the nearest point of its core segment. */
Footfall.roundNormals = function (geometry, half) {
  const { position, normal } = geometry.attributes;
  for (let k = 0; k < position.count; k++) {
    const z = position.getZ(k);
    const dz = z - Math.max(-half, Math.min(half, z));
    const n = [position.getX(k), position.getY(k), dz];
    const size = Math.hypot(...n) || 1;
    normal.setXYZ(k, n[0] / size, n[1] / size, n[2] / size);
  }
  return geometry;
};

/** An indexed mesh from its 16-bit lattice (footfall_meshcat/surface.py). */
Footfall.surface = function (shape, arrays) {
  const { BufferAttribute, BufferGeometry } = MeshCat.THREE;
  const lattice = arrays[shape.position];
  const position = new Float32Array(lattice.length);
  for (let k = 0; k < lattice.length; k++) {
    position[k] = shape.lower[k % 3] + shape.step * lattice[k];
  }
  const normal = Float32Array.from(arrays[shape.normal], (value) => value / 127);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  geometry.setAttribute("normal", new BufferAttribute(normal, 3));
  geometry.setIndex(new BufferAttribute(arrays[shape.index], 1));
  if (shape.coordinates) {
    geometry.setAttribute("uv", new BufferAttribute(arrays[shape.coordinates], 2));
  }
  let first = 0;
  for (const [k, triangles] of shape.parts.length > 1 ? shape.parts.entries() : []) {
    geometry.addGroup(first, 3 * triangles, k);
    first += 3 * triangles;
  }
  return geometry;
};
