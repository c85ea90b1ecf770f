import { expect, test } from 'vitest';
import { teamTold, type AnswerTold } from './team';

const card = (id: string, name: string, label: string, inputs: object = {}): object => ({
  id,
  position: { x: 0, y: 0 },
  data: { id, name, label, category: 'Harness', inputs },
});

const canvas = JSON.stringify({
  nodes: [
    card('team', 'harnessTeam', 'Team'),
    ...['law', 'tax', 'idle', 'slow'].map((name) =>
      card(name, 'harnessSpecialist', `Specialist ${name}`, { specialistName: name }),
    ),
  ],
  edges: [],
});

const told = (more: Partial<AnswerTold>): [Record<string, string>, Record<string, string>] => {
  const { states, errors } = teamTold(canvas, { state: 'waiting', team: [], failure: null, ...more });
  return [Object.fromEntries(states), Object.fromEntries(errors)];
};

const team = [
  ...['law', 'tax', 'slow'].map((name) => ({ name, status: 'started', task: 'Look' })),
  { name: 'law', status: 'completed', ms: 1 },
  { name: 'tax', status: 'failed', ms: 1, error: 'No key.' },
];

test('those are marked that worked, each as it ended', () => {
  expect(told({ state: 'streaming', team })).toEqual([
    { team: 'running', law: 'finished', tax: 'error', slow: 'running' },
    { tax: 'No key.' },
  ]);
  const [over] = told({ state: 'stopped', team });
  expect(over).toEqual({ team: 'stopped', law: 'finished', tax: 'error', slow: 'stopped' });
});

test('a failure stands at the card that it names, and else at the team', () => {
  const failure = { status: 500, message: 'Specialist law: the provider is down.', retryAfter: null };
  expect(told({ state: 'failed', failure })).toEqual([{ law: 'error' }, { law: failure.message }]);
  const other = { ...failure, message: 'The service stops.' };
  expect(told({ state: 'failed', failure: other })[0]).toEqual({ team: 'error' });
});

test('a chatflow that asks a team shows how its last card stands', () => {
  const chat = JSON.stringify({ nodes: [card('asks', 'harness', 'Harness')], edges: [] });
  const { states } = teamTold(chat, { state: 'streaming', team, failure: null });
  expect(Object.fromEntries(states)).toEqual({ asks: 'running' });
});

test('a canvas without a team tells of nothing', () => {
  for (const text of ['{"nodes":[],"edges":[]}', 'no canvas'])
    expect(teamTold(text, { state: 'done', team, failure: null }).states.size).toBe(0);
});
