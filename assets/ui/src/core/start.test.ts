import { describe, expect, it } from 'vitest';
import { changedParams, declaredParams, startsByClock } from './start';

const canvas = (name: string, startInputType: string): string =>
  JSON.stringify({
    nodes: [{ id: 'a', position: { x: 0, y: 0 }, data: { name, label: 'A', inputs: { startInputType } } }],
    edges: [],
  });

describe('a canvas that the clock starts', () => {
  it('says so at its Start card', () => {
    expect(startsByClock(canvas('startAgentflow', 'scheduleInput'))).toBe(true);
    expect(startsByClock(canvas('startAgentflow', 'chatInput'))).toBe(false);
    expect(startsByClock(canvas('other', 'scheduleInput'))).toBe(false);
    expect(startsByClock('no canvas')).toBe(false);
  });
});

describe('the params of a pipeline', () => {
  const pipeline = (params: unknown, name = 'etlStart'): string =>
    JSON.stringify({
      nodes: [{ id: 'a', position: { x: 0, y: 0 }, data: { name, label: 'A', inputs: { params } } }],
      edges: [],
    });
  const rows = [{ name: ' town ', value: 'Bern' }, { name: 'day' }, { value: 'lost' }, { name: '' }, 7];

  it('are the rows of its Start card that name something', () => {
    const told = [
      { name: 'town', value: 'Bern' },
      { name: 'day', value: '' },
    ];
    expect(declaredParams(pipeline(rows))).toEqual(told);
    expect(declaredParams(pipeline(JSON.stringify(rows)))).toEqual(told);
  });

  it('are none where nothing declares them', () => {
    for (const canvas of ['', 'no canvas', pipeline(''), pipeline('{"a": 1}'), pipeline('[{')])
      expect(declaredParams(canvas), canvas).toEqual([]);
    expect(declaredParams(pipeline(rows, 'startAgentflow'))).toEqual([]);
  });

  it('are sent where they are not as declared, an emptied one too', () => {
    const declared = [
      { name: 'town', value: 'Bern' },
      { name: 'day', value: 'Monday' },
    ];
    expect(changedParams(declared, {})).toEqual({});
    expect(changedParams(declared, { town: 'Bern', day: '', gone: 'x' })).toEqual({ day: '' });
  });
});
