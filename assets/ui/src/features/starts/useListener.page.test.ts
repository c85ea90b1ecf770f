import { expect, test } from 'vitest';
import type { StreamEvent } from '../../core/sse';
import { broughtBy, withCallEvent, type HeardCall } from './useListener';

const heard = (...events: StreamEvent[]): readonly HeardCall[] =>
  events.reduce<readonly HeardCall[]>((calls, event) => withCallEvent(calls, event, 0), []);

const begun: StreamEvent = {
  event: 'nextAgentFlow',
  data: { nodeId: 'start', nodeLabel: 'Start', status: 'INPROGRESS' },
};
const entry: StreamEvent = {
  event: 'agentFlowExecutedData',
  data: [
    {
      nodeId: 'start',
      nodeLabel: 'Start',
      status: 'FINISHED',
      data: { input: { webhook: { body: { a: 1 } } } },
    },
  ],
};
const end: StreamEvent = { event: 'executionEnd', data: { chatId: 'c' } };

test('a call is told with what it brought and what was answered', () => {
  const [call] = heard(begun, entry, { event: 'token', data: 'Hel' }, { event: 'token', data: 'lo' }, end);
  expect(call && broughtBy(call)).toEqual({ body: { a: 1 } });
  expect(call?.answer).toBe('Hello');
  expect(call?.over).toBe(true);
});

test('the next call is another one, and the newest comes first', () => {
  const calls = heard(begun, end, begun);
  expect(calls.map(({ key, over }) => [key, over])).toEqual([
    [2, false],
    [1, true],
  ]);
});

test('an end without a call is none', () => {
  expect(heard(end)).toEqual([]);
});

test('only the newest calls are kept', () => {
  const many = Array.from({ length: 9 }, () => [begun, end]).flat();
  expect(heard(...many).map(({ key }) => key)).toEqual([9, 8, 7, 6, 5]);
});
