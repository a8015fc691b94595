"use strict";

/** A part of the ground that is not a plane: lit triangles, and lines on them. */
Footfall.relief = function (ground, arrays) {
  const { BufferAttribute, BufferGeometry, Color, DoubleSide, Group } = MeshCat.THREE;
  const { LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial } = MeshCat.THREE;
  const [red, green, blue] = ground.color || [0.88, 0.9, 0.925];
  const color = new Color(red, green, blue).convertSRGBToLinear();
  const material = new MeshStandardMaterial({ color, roughness: 0.9, side: DoubleSide });
  material.polygonOffset = true; // the lines lie on the triangles, patches on the plane
  material.polygonOffsetFactor = material.polygonOffsetUnits = ground.color ? -2 : 1;
  const mesh = new Mesh(Footfall.surface(ground, arrays), material);
  mesh.castShadow = mesh.receiveShadow = true;
  const ends = new BufferGeometry();
  ends.setAttribute("position", new BufferAttribute(arrays[ground.lines], 3));
  const ink = new Color(0.5, 0.56, 0.63).convertSRGBToLinear();
  const group = new Group();
  group.add(mesh, new LineSegments(ends, new LineBasicMaterial({ color: ink })));
  return group;
};
