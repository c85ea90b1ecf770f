import { expect, it } from 'vitest';
import type { Starter, Template } from '../../api/templates';
import {
  findsModel,
  firstModel,
  gallery,
  lackingCredentials,
  missingCards,
  ownEntries,
  typeOf,
} from './entries';
import { starters } from './starters';

const key = (...credentialNames: string[]) => ({
  label: 'Key',
  name: 'credential',
  type: 'credential',
  credentialNames,
});
const flowData = JSON.stringify({
  nodes: ['model', 'model', 'search', 'chain'].map((name, at) => ({
    id: `${name}_${at}`,
    position: { x: 0, y: 0 },
    data: { name },
  })),
  edges: [],
});
const cards = new Map([
  ['model', { label: 'Model', credential: key('oneApi', 'otherApi') }],
  ['search', { label: 'Search', credential: { ...key('searchApi'), optional: true } }],
  ['chain', { label: 'Chain' }],
]);

it('names the cards that need a credential of a kind that nobody has', () => {
  expect(lackingCredentials(flowData, cards, new Set())).toEqual(['Model']);
  expect(lackingCredentials(flowData, cards, new Set(['otherApi']))).toEqual([]);
  expect(lackingCredentials('no canvas', cards, new Set())).toEqual([]);
});

it('says of a template who kept it, and what for', () => {
  const row = { id: 't', templateName: 'House', description: '', type: 'Chatflow', flowData } as Template;
  const kept = { workspaceId: 'w', shared: true, usecases: ['returns'] };
  expect(ownEntries([{ ...row, ...kept }])[0]?.kept).toEqual({
    workspaceId: 'w',
    shared: true,
    uses: ['returns'],
  });
});

it('names the cards that this server does not have, notes apart', () => {
  const note = JSON.stringify({
    nodes: [{ id: 'n', type: 'stickyNote', position: { x: 0, y: 0 }, data: { name: 'stickyNote' } }],
    edges: [],
  });
  expect(missingCards({ flowData }, new Set(['model', 'chain']))).toEqual(['search']);
  expect(missingCards({ flowData }, cards)).toEqual([]);
  expect(missingCards({ flowData: note }, new Set())).toEqual([]);
  const [recipe] = starters;
  if (!recipe) throw new Error('There are no starters.');
  const all = new Set(recipe.cards.map(({ card }) => card));
  expect(missingCards({ recipe }, all)).toEqual([]);
  all.delete('bufferMemory');
  expect(missingCards({ recipe }, all)).toEqual(['bufferMemory']);
});

it('counts a recipe as ready with a built-in model of its own, or with the credential of any', () => {
  const models = [{ credential: key('oneApi') }, {}];
  expect(findsModel({ builtIn: 'chatExtractive' }, models, new Set())).toBe(true);
  expect(findsModel({ alone: true }, models, new Set())).toBe(true);
  expect(findsModel({}, models, new Set(['searchApi']))).toBe(false);
  expect(findsModel({}, models, new Set(['oneApi']))).toBe(true);
});

it('makes a team and a pipeline of what their cards tell', () => {
  const [entry] = ownEntries([
    { id: 't', templateName: 'T', description: '', type: 'Chatflow', flowData } as Template,
  ]);
  if (!entry) throw new Error('There is no entry.');
  const of = (category: string) => new Map([['chain', { category }]]);
  expect(typeOf(entry, of('Chains'))).toBe('CHATFLOW');
  expect(typeOf(entry, of('Harness'))).toBe('HARNESS');
  expect(typeOf(entry, of('ETL'))).toBe('ETL');
});

it('offers a model first that can answer with what is here', () => {
  const [recipe] = starters;
  if (!recipe) throw new Error('There are no starters.');
  const models = [{ name: 'free' }, { name: 'paid', credential: key('oneApi') }];
  expect(firstModel(recipe, models, new Set(['oneApi']))).toBe('paid');
  expect(firstModel(recipe, models, new Set())).toBe(recipe.builtIn);
});

it('shows flows only, each under an id of its own, and twenty at least with those of the service', () => {
  const brought = (id: string, type: Starter['type']): Starter => ({
    id,
    templateName: id,
    description: '',
    type,
    badge: '',
    usecases: [],
    framework: [],
    categories: [],
    flowData,
  });
  const all = gallery([brought('starter-rewrite', 'Chatflow'), brought('starter-tool', 'Tool')]);
  expect(all.map(({ id }) => id)).not.toContain('starter-tool');
  expect(all.find(({ id }) => id === 'starter-rewrite')?.use).toBe('text');
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(starters.length).toBeGreaterThanOrEqual(12);
});
