"use strict";

/** Namespace of the viewer; the files are joined in a fixed order. */
const Footfall = {};

/**
 * Split a payload into its header and typed arrays (layout: footfall_meshcat/payload.py).
 * The arrays are views into the buffer.
 */
Footfall.unpack = function (buffer) {
  const types = { f4: Float32Array, f8: Float64Array, i1: Int8Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, entry] of Object.entries(header.arrays)) {
    arrays[name] = new types[entry.type](buffer, 4 + length + entry.offset, entry.length);
  }
  return { header, arrays };
};

/** Decompress gzip data; resolves to an ArrayBuffer. */
Footfall.inflate = function (bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};
