import { describe, expect, it } from 'vitest';
import { inputsOf, nodeIn, type Definition, type Doc } from './doc';
import { addCard } from './edit';
import { putStoreToUse, retrievalCanvas } from './retrieval';
import { canvasOf, cards as samples } from './samples';

const card = (name: string, more: Partial<Definition>): Definition => ({
  ...samples.tool,
  name,
  label: name,
  ...more,
});
const search = card('documentStoreVS', {
  baseClasses: ['DocumentStoreVS'],
  inputs: [{ label: 'Store', name: 'selectedStore', type: 'asyncOptions' }],
  outputs: [{ label: 'Retriever', name: 'retriever', baseClasses: ['BaseRetriever'] }],
});
const tool = card('retrieverTool', {
  inputs: [
    { label: 'Name', name: 'name', type: 'string' },
    { label: 'Description', name: 'description', type: 'string' },
    { label: 'Retriever', name: 'retriever', type: 'BaseRetriever' },
  ],
});
const chain = card('conversationalRetrievalQAChain', {
  category: 'Chains',
  baseClasses: ['Chain'],
  inputs: [{ label: 'Retriever', name: 'vectorStoreRetriever', type: 'BaseRetriever' }],
});
const retriever = card('retrieverAgentflow', {
  category: 'Agent Flows',
  baseClasses: ['Retriever'],
  inputs: [
    { label: 'Stores', name: 'retrieverKnowledgeDocumentStores', type: 'array', array: [] },
    { label: 'Query', name: 'retrieverQuery', type: 'string', acceptVariable: true },
  ],
});
const all = [search, tool, chain, retriever];
const store = { id: 'id-1', name: 'Päckchen & More', description: '' };
const wires = (doc: Doc): string[] => doc.edges.map((edge) => `${edge.source} ${edge.target}`);

describe('a document store is put to use', () => {
  it('where a chain has a free place for it', () => {
    const used = putStoreToUse(canvasOf('model', 'chain').doc, 'cards', all, store);
    expect(used && wires(used.doc)).toEqual(['documentStoreVS_0 chain_0']);
    const node = used && nodeIn(used.doc, used.id);
    expect(node && inputsOf(node).selectedStore).toBe('id-1');
    expect(used?.loose).toBe(false);
  });

  it('as a tool of an agent', () => {
    const used = putStoreToUse(canvasOf('agent').doc, 'cards', all, store);
    expect(used && wires(used.doc)).toEqual(['retrieverTool_0 agent_0', 'documentStoreVS_0 retrieverTool_0']);
    const asked = used && nodeIn(used.doc, 'retrieverTool_0');
    expect(asked && inputsOf(asked)).toMatchObject({
      name: 'search_pa_ckchen_more',
      description: store.name,
    });
  });

  it('beside the cards where nothing takes it, which is said', () => {
    const used = putStoreToUse(canvasOf('model', 'tool').doc, 'cards', all, store);
    expect(used).toMatchObject({ loose: true, id: 'documentStoreVS_0' });
    expect(used && wires(used.doc)).toEqual([]);
  });

  it('by an agent of an agentflow once, or by a step before the others', () => {
    const agent = card('agentAgentflow', {
      category: 'Agent Flows',
      inputs: [{ label: 'Stores', name: 'agentKnowledgeDocumentStores', type: 'array', array: [] }],
    });
    const doc = addCard(canvasOf('start').doc, agent, { x: 300, y: 0 }).doc;
    const first = putStoreToUse(doc, 'steps', [...all, agent], store);
    const again = first && putStoreToUse(first.doc, 'steps', [...all, agent], store);
    expect(again?.doc).toBe(first?.doc);
    const node = again && nodeIn(again.doc, again.id);
    expect(node && inputsOf(node).agentKnowledgeDocumentStores).toEqual([
      { documentStore: 'id-1', docStoreDescription: store.name, returnSourceDocuments: true },
    ]);
    const step = putStoreToUse(canvasOf('start', 'llm').doc, 'steps', all, store);
    expect(step && wires(step.doc)).toEqual(['startAgentflow_0 retrieverAgentflow_0']);
    const led = step && putStoreToUse(step.doc, 'steps', all, store);
    expect(led && wires(led.doc)).toEqual([
      'startAgentflow_0 retrieverAgentflow_1',
      'retrieverAgentflow_1 retrieverAgentflow_0',
    ]);
    const set = step && nodeIn(step.doc, step.id);
    expect(set && inputsOf(set).retrieverQuery).toBe('{{question}}');
  });

  it('by a new canvas of its own', () => {
    expect(retrievalCanvas(all, 'id-1')).toContain('"selectedStore":"id-1"');
  });
});
