"use strict";

/**
 * A frame from its bytes (docs/reference/viewer-messages.md), or null if it is of another scene.
 *
 * Beside what a viewer shows it has `serial`, `watch`, `hand` and `values`.
 */
Footfall.readFrame = function (data, { links, contacts }) {
  const header = 4; // numbers of float64
  const fixed = 7 * links + 3 + 6 * contacts + 12;
  if (data.byteLength < 8 * header + 4 * fixed) return null;
  const [time, wall, serial, watch] = new Float64Array(data, 0, header);
  const values = new Float32Array(data, 8 * header);
  let start = 0;
  const next = (count) => values.subarray(start, (start += count));
  const poses = next(7 * links);
  const com = next(3);
  const position = next(3 * contacts);
  const force = next(3 * contacts);
  const hand = next(12);
  return { time, wall, serial, watch, poses, com, position, force, hand, values: next(values.length - start) };
};
