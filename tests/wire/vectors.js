/**
 * @file Runs the vectors of a kind in Node or in a browser, cut as tests/support/vectors.py cuts them.
 *
 * A kind is read by `<kind>_reader.js`, whose `read(pieces, vector)` gives an object; each of its members must equal the
 * vector's member of that name, where it has one.
 */

/** @returns {Promise<{ runs: number, mismatches: object[] }>} how many cuts were read, and those read wrongly */
export async function run(kind, vectors) {
  const { read } = await import(`./${kind}_reader.js`);
  let runs = 0;
  const mismatches = [];
  for (const vector of vectors) {
    for (const pieces of cuts((vector.chunks ?? []).map(bytesOf))) {
      runs += 1;
      for (const [member, found] of Object.entries(read(pieces, vector))) {
        if (!(member in vector) || same(found, vector[member])) continue;
        mismatches.push({ vector: vector.name, pieces: pieces.map(chunkOf), member, found, expected: vector[member] });
      }
    }
  }
  return { runs, mismatches };
}

function* cuts(pieces) {
  const whole = bytesOf(pieces.map(chunkOf).join(""));
  yield pieces;
  yield [whole];
  yield Array.from(whole, (_, at) => whole.subarray(at, at + 1));
  for (let at = 1; at < whole.length; at += 1) yield [whole.subarray(0, at), whole.subarray(at)];
}

/** The bytes of a chunk, which has a character (U+0000 to U+00FF) for each. */
function bytesOf(chunk) {
  return Uint8Array.from(chunk, (character) => character.charCodeAt(0));
}

function chunkOf(bytes) {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
