import { describe, expect, it } from 'vitest';
import { diffSides, diffText } from './diff';

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

describe('diffSides', () => {
  const marked = (before: string, after: string): string[] =>
    Object.values(diffSides(before, after)).map((parts) =>
      parts.map((part) => (part.marked ? `[${part.text}]` : part.text)).join(''),
    );

  it('marks on each side what the other lacks', () => {
    expect(marked('It costs 12 euros.', 'It costs 15 euros.')).toEqual([
      'It costs [12] euros.',
      'It costs [15] euros.',
    ]);
    expect(marked('Yes.', 'Yes. Really.')).toEqual(['Yes.', 'Yes.[ Really.]']);
  });

  it('takes words that changed one after another for one change', () => {
    expect(marked('say one two now', 'say uno due now')).toEqual(['say [one two] now', 'say [uno due] now']);
  });

  it('marks nothing where nothing differs', () => {
    expect(marked('the same', 'the same')).toEqual(['the same', 'the same']);
  });
});
