/** Cards and canvases for the tests of the document. */
import { isObject } from '../../../core/nodes';
import type { Definition, Doc } from './doc';
import { emptyDoc } from './doc';
import { addCard } from './edit';

const card = (one: Partial<Definition> & { name: string }): Definition => ({
  label: one.name,
  version: 1,
  type: one.name,
  icon: '',
  category: 'Chains',
  description: '',
  baseClasses: [one.name],
  inputs: [],
  ...one,
});

const step = (name: string, label: string, inputs: Definition['inputs'] = []): Definition =>
  card({ name, label, type: label, category: 'Agent Flows', baseClasses: [label], inputs });

const onError = {
  label: 'On Error',
  name: 'onError',
  type: 'options',
  default: 'stop',
  options: [
    { label: 'Stop', name: 'stop' },
    { label: 'Branch', name: 'branch' },
  ],
};

export const cards = {
  model: card({
    name: 'chatModel',
    label: 'Chat Model',
    category: 'Chat Models',
    baseClasses: ['ChatModel', 'BaseChatModel', 'BaseLanguageModel'],
    credential: { label: 'Key', name: 'credential', type: 'credential', credentialNames: ['someApi'] },
    inputs: [
      { label: 'Model', name: 'modelName', type: 'string', default: 'small' },
      { label: 'Temperature', name: 'temperature', type: 'number', default: 0.9 },
      { label: 'Cache', name: 'cache', type: 'BaseCache', optional: true },
    ],
  }),
  otherModel: card({
    name: 'otherModel',
    label: 'Other Model',
    category: 'Chat Models',
    baseClasses: ['OtherModel', 'BaseChatModel'],
    credential: { label: 'Key', name: 'credential', type: 'credential', credentialNames: ['otherApi'] },
    inputs: [{ label: 'Temperature', name: 'temperature', type: 'number', default: 1 }],
  }),
  chain: card({
    name: 'chain',
    label: 'Chain',
    baseClasses: ['Chain'],
    inputs: [
      { label: 'Model', name: 'model', type: 'BaseChatModel' },
      { label: 'Retriever', name: 'retriever', type: 'BaseRetriever' },
      { label: 'Prompt', name: 'prompt', type: 'string', acceptVariable: true },
    ],
  }),
  agent: card({
    name: 'agent',
    label: 'Agent',
    category: 'Agents',
    baseClasses: ['AgentExecutor'],
    inputs: [
      { label: 'Model', name: 'model', type: 'BaseChatModel' },
      { label: 'Tools', name: 'tools', type: 'Tool', list: true },
    ],
  }),
  tool: card({ name: 'tool', label: 'Tool', category: 'Tools', baseClasses: ['SomeTool', 'Tool'] }),
  store: card({
    name: 'store',
    label: 'Store',
    category: 'Vector Stores',
    baseClasses: ['Store', 'BaseRetriever'],
    outputs: [
      { label: 'Retriever', name: 'retriever', baseClasses: ['Store', 'BaseRetriever'] },
      { label: 'Store', name: 'vectorStore', baseClasses: ['Store', 'VectorStore'] },
    ],
  }),
  filter: card({
    name: 'filter',
    label: 'Filter',
    category: 'Retrievers',
    baseClasses: ['Filter', 'BaseRetriever'],
    inputs: [{ label: 'Base', name: 'base', type: 'BaseRetriever' }],
  }),
  note: card({
    name: 'stickyNote',
    label: 'Sticky Note',
    category: 'Utilities',
    baseClasses: ['StickyNote'],
  }),
  start: step('startAgentflow', 'Start', [
    { label: 'Input Type', name: 'startInputType', type: 'options', default: 'chatInput' },
    { label: 'State', name: 'startState', type: 'array' },
    { label: 'Form', name: 'formInputTypes', type: 'array' },
  ]),
  llm: step('llmAgentflow', 'LLM', [
    { label: 'Message', name: 'llmUserMessage', type: 'string', acceptVariable: true },
    onError,
  ]),
  reply: step('directReplyAgentflow', 'Direct Reply', [
    { label: 'Message', name: 'directReplyMessage', type: 'string', acceptVariable: true },
  ]),
  condition: step('conditionAgentflow', 'Condition', [
    {
      label: 'Conditions',
      name: 'conditions',
      type: 'array',
      array: [{ label: 'Value', name: 'value1', type: 'string' }],
    },
    onError,
  ]),
  human: step('humanInputAgentflow', 'Human Input'),
  loop: step('loopAgentflow', 'Loop', [{ label: 'Back to', name: 'loopBackToNode', type: 'asyncOptions' }]),
  iteration: step('iterationAgentflow', 'Iteration', [onError]),
};

export type CardName = keyof typeof cards;

/** A canvas of these cards; ids are in their order. */
export function canvasOf(...names: CardName[]): { doc: Doc; ids: string[] } {
  let doc = emptyDoc();
  const ids = names.map((name, at) => {
    const added = addCard(doc, cards[name], { x: 300 * at, y: 0 });
    doc = added.doc;
    return added.id;
  });
  return { doc, ids };
}

/** Every place where two values differ, as a path. */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((one, at) => differences(one, after[at], `${path}/${at}`));
  if (!isObject(before) || !isObject(after)) return [path];
  const [old, now] = [Object.keys(before), Object.keys(after)];
  if (old.join() !== now.join()) return [`${path} has other keys, or in another order`];
  return old.flatMap((name) => differences(before[name], after[name], `${path}/${name}`));
}
