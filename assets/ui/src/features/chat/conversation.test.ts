import { describe, expect, it } from 'vitest';
import {
  empty,
  isBusy,
  isDecided,
  reduce,
  stepsOfTurn,
  type Change,
  type Conversation,
} from './conversation';

const ask: Change = { do: 'ask', id: 1, question: 'Hi', files: [], source: 'draft', now: 100 };
const run = (...changes: Change[]): Conversation => changes.reduce(reduce, empty);
const events = (...list: [string, unknown?][]): Change => ({
  do: 'events',
  id: 1,
  events: list.map(([event, data]) => ({ event, data })),
});

describe('a conversation', () => {
  it('grows with the tokens and ends with time, tokens and the chat id', () => {
    const streaming = run(ask, events(['start', ''], ['token', 'Hel'], ['token', 'lo']));
    expect(isBusy(streaming)).toBe(true);
    const done = [
      events(
        ['usedTools', [{ tool: 'calculator', toolInput: { input: '1+1' }, toolOutput: '2' }]],
        ['sourceDocuments', [{ pageContent: 'A chunk', metadata: { source: 'a.txt', page: 2 } }]],
        [
          'metadata',
          {
            chatId: 'c1',
            usageMetadata: { input_tokens: 3, output_tokens: 2 },
            followUpPrompts: '["And then?"]',
          },
        ],
        ['end', '[DONE]'],
      ),
      { do: 'ended', id: 1, now: 350 } as const,
    ].reduce(reduce, streaming);
    expect(done.chatId).toBe('c1');
    expect(done.turns[0]).toMatchObject({
      state: 'done',
      answer: 'Hello',
      ms: 250,
      tokens: { read: 3, written: 2 },
      followUps: ['And then?'],
      tools: [{ tool: 'calculator', toolOutput: '2', error: null }],
      sources: [
        {
          text: 'A chunk',
          metadata: [
            ['source', 'a.txt'],
            ['page', '2'],
          ],
        },
      ],
    });
  });

  it('keeps what was answered when an error comes in the stream', () => {
    const sent = { status: 429, code: 'RATE_LIMITED', retryAfter: 7, message: 'Wait.' };
    const failed = run(ask, events(['token', 'Half'], ['error', sent], ['end']), {
      do: 'ended',
      id: 1,
      now: 200,
    });
    expect(failed.turns[0]).toMatchObject({
      state: 'failed',
      answer: 'Half',
      failure: { status: 429, message: 'Wait.', retryAfter: 7 },
    });
    const words = run(ask, events(['error', 'The card failed.']), { do: 'ended', id: 1, now: 200 });
    expect(words.turns[0]?.failure).toEqual({ status: null, message: 'The card failed.', retryAfter: null });
  });

  it('takes nothing more once it was stopped', () => {
    const stopped = run(ask, events(['token', 'One']), { do: 'stopped', id: 1, now: 150 });
    expect(stopped.turns[0]).toMatchObject({ state: 'stopped', answer: 'One', ms: 50 });
    expect(reduce(stopped, events(['token', ' two'])).turns[0]?.answer).toBe('One');
    expect(reduce(stopped, { do: 'ended', id: 1, now: 300 }).turns[0]?.state).toBe('stopped');
    expect(isBusy(stopped)).toBe(false);
  });

  it('asks a failed question again in its place, and forgets all on reset', () => {
    const failure = { status: 500, message: 'No.', retryAfter: null };
    const failed = run(ask, { do: 'failed', id: 1, failure, now: 120 });
    expect(failed.turns[0]).toMatchObject({ state: 'failed', failure });
    const again = [{ do: 'retract' } as const, { ...ask, id: 2 }].reduce(reduce, failed);
    expect(again.turns.map((turn) => [turn.id, turn.state])).toEqual([[2, 'waiting']]);
    expect(reduce(again, { do: 'stopped', id: 1, now: 130 })).toBe(again);
    expect(reduce(again, { do: 'reset' })).toEqual(empty);
  });

  it('shows the steps of an agentflow, each run of a loop as its own', () => {
    const step = (nodeId: string, status: string): [string, unknown] => [
      'nextAgentFlow',
      { nodeId, nodeLabel: `Step ${nodeId}`, status },
    ];
    const done: [string, unknown] = [
      'agentFlowExecutedData',
      [
        {
          nodeId: 'a',
          nodeLabel: 'Step a',
          status: 'FINISHED',
          data: {
            input: { question: 'Hi' },
            output: {
              content: 'Hello',
              timeMetadata: { delta: 40 },
              usageMetadata: { input_tokens: 1, output_tokens: 2 },
            },
          },
        },
      ],
    ];
    const looped = run(
      ask,
      events(step('a', 'INPROGRESS'), step('a', 'FINISHED'), done, step('a', 'INPROGRESS')),
      { do: 'stopped', id: 1, now: 300 },
    );
    const [turn] = looped.turns;
    const steps = turn ? stepsOfTurn(turn, false) : [];
    expect(steps.map((one) => [one.label, one.state, one.ms, one.text])).toEqual([
      ['Step a', 'finished', 40, 'Hello'],
      ['Step a', 'stopped', null, null],
    ]);
  });

  it('waits for the answer of a person, until one was given', () => {
    const action = {
      id: 'p1',
      mapping: { approve: 'Proceed', reject: 'Reject' },
      data: { nodeId: 'ask', nodeLabel: 'Ask' },
    };
    const asked = run(ask, events(['action', action], ['metadata', { chatId: 'c1' }]), {
      do: 'ended',
      id: 1,
      now: 200,
    });
    const [turn] = asked.turns;
    expect(turn?.asked).toMatchObject({ id: 'p1', label: 'Ask', takesFeedback: true });
    expect(turn?.chatId).toBe('c1');
    const decide = (id: number): Change => ({
      ...ask,
      id,
      decision: { type: 'proceed', actionId: 'p1' },
    });
    const decided = reduce(asked, decide(2));
    expect(turn && isDecided(turn, asked.turns)).toBe(false);
    expect(turn && isDecided(turn, decided.turns)).toBe(true);
    const failure = { status: 409, message: 'No.', retryAfter: null };
    const refused = reduce(decided, { do: 'failed', id: 2, failure, now: 300 });
    expect(turn && isDecided(turn, refused.turns)).toBe(false);
  });

  it('learns of the record of an answer, also once another question was asked', () => {
    const two = run(ask, { do: 'ended', id: 1, now: 200 }, { ...ask, id: 2 });
    const known = reduce(two, { do: 'record', id: 1, executionId: 'e1' });
    expect(known.turns.map(({ executionId }) => executionId)).toEqual(['e1', null]);
  });
});
