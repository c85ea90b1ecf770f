import { expect, test } from 'vitest';
import { entriesOf, noRun, stepsOf, withRunEvent } from './run';
import { barsOf } from './timeline';

const entry = (nodeId: string, from?: number, to?: number, previousNodeIds: string[] = []) => ({
  nodeId,
  nodeLabel: nodeId,
  status: 'FINISHED',
  previousNodeIds,
  data: from === undefined ? {} : { output: { timeMetadata: { start: from, end: to, delta: 0 } } },
});
const bars = (...entries: object[]) => {
  const steps = stepsOf({ ...noRun, entries: entriesOf(entries) }, true);
  return Object.fromEntries(steps.map(({ key, nodeId }) => [nodeId, barsOf(steps).get(key)]));
};

test('branches that run beside each other stand beside each other', () => {
  const { a, b, join } = bars(
    entry('a', 1000, 1500),
    entry('b', 1000, 2000),
    entry('join', 2000, 3000, ['a', 'b']),
  );
  expect(a).toEqual({ from: 0, to: 0.25, open: false });
  expect(b).toEqual({ from: 0, to: 0.5, open: false });
  expect(join).toEqual({ from: 0.5, to: 1, open: false });
});

test('a time in which nothing ran takes little of the line', () => {
  const { asked, after } = bars(entry('asked', 0, 1000), entry('after', 86_400_000, 86_401_000, ['asked']));
  expect(asked?.to).toBeGreaterThan(0.45);
  expect(after?.from).toBeLessThan(0.55);
  expect(after?.to).toBe(1);
});

test('a step without times stands where the steps before it ended', () => {
  const { start, choose } = bars(
    entry('start'),
    entry('a', 0, 50),
    entry('choose', undefined, undefined, ['a']),
    entry('b', 50, 100),
  );
  expect(start).toEqual({ from: 0, to: 0, open: false });
  expect(choose).toEqual({ from: 0.5, to: 0.5, open: false });
});

test('what runs reaches to the end of the line, from what ended before it began', () => {
  const told = withRunEvent(
    { ...noRun, entries: entriesOf([entry('a', 0, 100)]) },
    { event: 'nextAgentFlow', data: { nodeId: 'b', nodeLabel: 'b', status: 'INPROGRESS' } },
  );
  const steps = stepsOf(told, false);
  const [a, b] = steps.map(({ key }) => barsOf(steps).get(key));
  expect(a?.to).toBeLessThan(1);
  expect(b).toEqual({ from: a?.to, to: 1, open: true });
});

test('a run without any time has bars without length', () => {
  expect(bars(entry('a'), entry('b'))).toEqual({
    a: { from: 0, to: 0, open: false },
    b: { from: 0, to: 0, open: false },
  });
});

test('twenty thousand steps, one after another, are placed while nobody notices', () => {
  const entries = Array.from({ length: 20_000 }, (_, at) => entry(`s${at}`, at * 10, at * 10 + 5));
  const steps = stepsOf({ ...noRun, entries: entriesOf(entries) }, true);
  const began = performance.now();
  const placed = barsOf(steps);
  // A look at all steps for each of them takes many seconds.
  expect(performance.now() - began).toBeLessThan(2000);
  expect(placed.get(steps.at(-1)?.key ?? '')?.to).toBe(1);
});
