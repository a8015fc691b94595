"use strict";

/**
 * Read a frame from its bytes (docs/reference/viewer-messages.md); null if it belongs to another scene.
 *
 * In addition to a viewer's frame it has `serial`, `watch`, `hand` and `values`. It ends with the last existing contact.
 */
Footfall.readFrame = function (data, { links, contacts, points = [] }) {
  const header = 4; // numbers of float64
  const least = 7 * links + 3 + 1 + 12;
  if (data.byteLength < 8 * header + 4 * least) return null;
  const [time, wall, serial, watch] = new Float64Array(data, 0, header);
  const values = new Float32Array(data, 8 * header);
  let start = 0;
  const next = (count) => values.subarray(start, (start += count));
  const poses = next(7 * links);
  const com = next(3);
  const [there] = next(1);
  if (!(there <= contacts && values.length >= least + 6 * there)) return null;
  const position = next(3 * there);
  const force = next(3 * there);
  const between = next(Footfall.pair * Math.max(there - points.length, 0));
  const hand = next(12);
  return { time, wall, serial, watch, poses, com, position, force, between, hand, values: next(values.length - start) };
};
