"use strict";

/** A plane with a grid in its own axes; it fades out and moves with the camera, its lines do not. */
Footfall.Ground = class {
  constructor(folder, ground, cell) {
    const THREE = MeshCat.THREE;
    const normal = new THREE.Vector3(...ground.normal);
    this.frame = new THREE.Group();
    this.frame.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    this.frame.position.copy(normal).multiplyScalar(ground.offset);
    folder.add(this.frame);

    const plane = new THREE.PlaneGeometry(2, 2);
    this.uniforms = {
      shift: { value: new THREE.Vector2() },
      range: { value: 1 },
      cell: { value: cell },
      paint: { value: [] },
    };
    this.dark(false);
    const grid = new THREE.ShaderMaterial({
      uniforms: this.uniforms,
      vertexShader: Footfall.Ground.vertex,
      fragmentShader: Footfall.Ground.fragment,
      transparent: true,
      side: THREE.DoubleSide,
      extensions: { derivatives: true },
    });
    const shade = new THREE.ShadowMaterial({ color: 0x1b2a41, opacity: 0.28 });
    shade.depthWrite = false;
    shade.polygonOffset = true;
    shade.polygonOffsetFactor = shade.polygonOffsetUnits = -1;
    this.sheets = [grid, shade].map((material, k) => {
      const sheet = new THREE.Mesh(plane, material);
      sheet.renderOrder = k - 2; // before all transparent objects
      sheet.receiveShadow = material === shade;
      sheet.frustumCulled = false;
      this.frame.add(sheet);
      return sheet;
    });
  }

  /** Paint it for a dark page or a light one: seen from above, from below, fine lines, coarse lines. */
  dark(on) {
    const paints = on ? ["#242c35", "#1b2128", "#3a4653", "#607286"] : ["#e7ebf0", "#ccd1d9", "#b0bbc8", "#75879c"];
    this.uniforms.paint.value = paints.map((paint) => new MeshCat.THREE.Color(paint));
  }

  /** Centre the plane below the point `target`; it ends at `range` [m] from there. */
  aim(target, range) {
    const local = target.clone().sub(this.frame.position);
    local.applyQuaternion(this.frame.quaternion.clone().invert());
    this.uniforms.shift.value.set(local.x, local.y);
    this.uniforms.range.value = range;
    for (const sheet of this.sheets) {
      sheet.position.set(local.x, local.y, 0);
      sheet.scale.set(range, range, 1);
    }
  }
};

Footfall.Ground.vertex = `
  uniform vec2 shift;
  uniform float range;
  varying vec2 offset;
  varying vec2 place;
  void main() {
    offset = position.xy;
    place = shift + range * position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

Footfall.Ground.fragment = `
  uniform float cell;
  uniform vec3 paint[4];
  varying vec2 offset;
  varying vec2 place;
  // Coverage of grid lines about one and a half pixels wide; they fade if cells get too small.
  float lines(float spacing) {
    vec2 at = place / spacing;
    vec2 width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
    float line = 1.0 - smoothstep(0.3, 1.2, min(near.x, near.y));
    return line * (1.0 - smoothstep(0.08, 0.4, max(width.x, width.y)));
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, length(offset));
    if (fade <= 0.0) discard;
    vec3 color = gl_FrontFacing ? paint[0] : paint[1];
    color = mix(color, paint[2], 0.6 * lines(cell));
    color = mix(color, paint[3], 0.75 * lines(10.0 * cell));
    gl_FragColor = vec4(color, fade * (gl_FrontFacing ? 1.0 : 0.55));
  }`;
