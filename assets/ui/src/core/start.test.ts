import { describe, expect, it } from 'vitest';
import { startsByClock } from './start';

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
