/** Where passages begin and end in the text that they were cut from. */

export interface Piece {
  text: string;
  /** The passages that it belongs to: none between them, two where they overlap. */
  in: readonly number[];
  /** The passage that begins here, counted from 1. */
  begins: number | null;
}

export interface Cut {
  pieces: readonly Piece[];
  /** How many of the passages are in this text. */
  found: number;
}

/**
 * Finds passages in their text. Each is a stretch of it and begins after the one before it; what a splitter made of other
 * words is not there, and ends the search.
 */
export function cutOf(text: string, passages: readonly string[]): Cut {
  const spans: [number, number][] = [];
  let from = 0;
  for (const passage of passages) {
    const at = passage === '' ? -1 : text.indexOf(passage, from);
    if (at < 0) break;
    spans.push([at, at + passage.length]);
    from = at + 1;
  }
  const places = [...new Set([0, text.length, ...spans.flat()])].sort((a, b) => a - b);
  const pieces = places.slice(0, -1).map((start, at): Piece => {
    const end = places[at + 1] ?? text.length;
    const inside = spans.flatMap(([first, last], passage) =>
      first <= start && end <= last ? [passage] : [],
    );
    const begins = spans.findIndex(([first]) => first === start);
    return { text: text.slice(start, end), in: inside, begins: begins < 0 ? null : begins + 1 };
  });
  return { pieces, found: spans.length };
}

/** The passages of several documents, one after the other, each in its own. */
export function cutsOf(texts: readonly string[], passages: readonly string[]): Cut[] {
  let rest = passages;
  let before = 0;
  return texts.map((text) => {
    const cut = cutOf(text, rest);
    const pieces = cut.pieces.map((piece) => ({
      ...piece,
      begins: piece.begins === null ? null : piece.begins + before,
      in: piece.in.map((one) => one + before),
    }));
    rest = rest.slice(cut.found);
    before += cut.found;
    return { pieces, found: cut.found };
  });
}
