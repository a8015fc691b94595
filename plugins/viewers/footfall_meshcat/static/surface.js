"use strict";

/** A non-planar part of the ground: lit triangles, and lines on them. */
Footfall.relief = function (ground, arrays) {
  const { BufferAttribute, BufferGeometry, Color, DoubleSide, Group } = MeshCat.THREE;
  const { LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial } = MeshCat.THREE;
  const geometry = Footfall.surface(ground, arrays);
  const color = ground.color ? new Color(...ground.color).convertSRGBToLinear() : new Color(1, 1, 1);
  const material = new MeshStandardMaterial({ color, roughness: 0.9, side: DoubleSide });
  if (!ground.color) material.vertexColors = Footfall.heights(geometry);
  material.polygonOffset = true; // the lines lie on the triangles, patches on the plane
  material.polygonOffsetFactor = material.polygonOffsetUnits = ground.color ? -2 : 1;
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  const ends = new BufferGeometry();
  ends.setAttribute("position", new BufferAttribute(arrays[ground.lines], 3));
  const ink = new Color(0.5, 0.56, 0.63).convertSRGBToLinear();
  const group = new Group();
  group.add(mesh, new LineSegments(ends, new LineBasicMaterial({ color: ink })));
  return group;
};

/** Colour a surface by height, from cool to warm, darker on slopes; true when done. */
Footfall.heights = function (geometry) {
  const { BufferAttribute, Color } = MeshCat.THREE;
  const { position, normal } = geometry.attributes;
  const heights = Array.from({ length: position.count }, (_, k) => position.getZ(k));
  const low = heights.reduce((least, z) => Math.min(least, z), Infinity);
  const high = heights.reduce((most, z) => Math.max(most, z), -Infinity);
  const [cool, warm] = ["#93aab8", "#efe9dc"].map((paint) => new Color(paint).convertSRGBToLinear());
  const paints = new Float32Array(3 * position.count);
  heights.forEach((z, k) => {
    const part = high > low ? (z - low) / (high - low) : 1;
    const flat = Math.min(1, Math.abs(normal.getZ(k))) ** 2;
    cool.clone().lerp(warm, part).multiplyScalar(0.55 + 0.45 * flat).toArray(paints, 3 * k);
  });
  geometry.setAttribute("color", new BufferAttribute(paints, 3));
  return true;
};
