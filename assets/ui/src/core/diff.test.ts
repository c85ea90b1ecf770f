import { describe, expect, it } from 'vitest';
import { diffText, diffWords } from './diff';

describe('diffText', () => {
  it('marks the words that changed in a line', () => {
    expect(diffText('be kind\nstay', 'be brief\nstay')).toEqual([
      {
        kind: 'removed',
        parts: [
          { text: 'be ', marked: false },
          { text: 'kind', marked: true },
        ],
      },
      {
        kind: 'added',
        parts: [
          { text: 'be ', marked: false },
          { text: 'brief', marked: true },
        ],
      },
      { kind: 'same', parts: [{ text: 'stay', marked: false }] },
    ]);
  });

  it('folds what is far from every change', () => {
    const many = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');
    const out = diffText(many, `${many}\nlast`);
    expect(out[0]).toEqual({ kind: 'gap', count: 16 });
    expect(diffText('a', 'a')).toEqual([{ kind: 'gap', count: 1 }]);
  });
});

describe('diffWords', () => {
  it('says what each piece is', () => {
    expect(diffWords('a b', 'a c').map((part) => part.kind)).toEqual(['same', 'removed', 'added']);
  });
});
