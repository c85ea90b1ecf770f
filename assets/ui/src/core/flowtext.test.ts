import { describe, expect, it } from 'vitest';
import { jsonFault, prettyFlow, readFlowText } from './flowtext';

describe('a canvas as text', () => {
  it('is laid out, and comes back as it was stored', () => {
    const stored =
      '{"nodes":[{"id":"a","position":{"x":1,"y":2},"data":{"b":[1]}}],"edges":[],"viewport":{}}';
    const read = readFlowText(prettyFlow(stored));
    expect(read).toEqual({ ok: true, flowData: stored });
  });

  it('stays as it is when it is no JSON, and is an empty canvas when there is none', () => {
    expect(prettyFlow('{oops')).toBe('{oops');
    expect(readFlowText(prettyFlow(''))).toEqual({ ok: true, flowData: '{"nodes":[],"edges":[]}' });
  });

  it.each([
    ['{\n  "nodes": [],\n  "edges": [}\n}', 3],
    ['{\n  "nodes": [\n    {"id": "a" "b": 1}\n  ]\n}', 3],
    ['{\n  "nodes": []\n  "edges": []\n}', 3],
    ['{\n  "nodes": [],\n  "edges": [],\n}', 4],
    ['{\n  "nodes": "line\nbreak"\n}', 2],
    ['', 1],
  ])('tells the line of a fault in %j', (text, line) => {
    const read = readFlowText(text);
    expect(read.ok ? null : read.fault.problem).toBe('not-json');
    expect(read.ok ? null : read.fault.at?.line).toBe(line);
  });

  it('tells what keeps JSON from being a canvas', () => {
    const problem = (text: string): string | null => {
      const read = readFlowText(text);
      return read.ok ? null : read.fault.problem;
    };
    expect(problem('[]')).toBe('not-object');
    expect(problem('{"edges":[]}')).toBe('no-nodes');
    expect(problem('{"nodes":[]}')).toBe('no-edges');
    expect(problem('{"nodes":[{"id":"a"}],"edges":[]}')).toBe('bad-node');
  });
});

it('finds where a text of a card stops being JSON, with what a run fills in', () => {
  expect([
    jsonFault(''),
    jsonFault('{"a": [1, {{ question }}]}'),
    jsonFault('{"a": "{{x.data.instance}}"}'),
  ]).toEqual([null, null, null]);
  expect(jsonFault('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ line: 3, column: 3 });
  expect(jsonFault('{"a": ')).toMatchObject({ line: 1 });
});
