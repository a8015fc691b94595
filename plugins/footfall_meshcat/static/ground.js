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
    };
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
      sheet.renderOrder = k - 2; // before everything that is transparent
      sheet.receiveShadow = material === shade;
      sheet.frustumCulled = false;
      this.frame.add(sheet);
      return sheet;
    });
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
  varying vec2 offset;
  varying vec2 place;
  // Coverage of grid lines about one and a half pixels wide; fades where cells get too small.
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
    vec3 color = gl_FrontFacing ? vec3(0.905, 0.922, 0.940) : vec3(0.80, 0.82, 0.85);
    color = mix(color, vec3(0.69, 0.735, 0.785), 0.6 * lines(cell));
    color = mix(color, vec3(0.46, 0.53, 0.61), 0.75 * lines(10.0 * cell));
    gl_FragColor = vec4(color, fade * (gl_FrontFacing ? 1.0 : 0.55));
  }`;
