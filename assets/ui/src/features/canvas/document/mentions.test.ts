import { describe, expect, it } from 'vitest';
import { portsOf } from '../../../core/nodes';
import { emptyDoc, inputsOf, nodeIn, type Definition, type Doc } from './doc';
import { addCard, addConnected, setInput } from './edit';
import { mentions, textGivers } from './mentions';
import { offersFor } from './references';
import { canvasOf, cards } from './samples';

const llm: Definition = {
  ...cards.chain,
  name: 'llmChain',
  label: 'LLM Chain',
  inputs: [{ label: 'Prompt', name: 'prompt', type: 'BasePrompt' }],
  outputs: [
    { label: 'Chain', name: 'llmChain', baseClasses: ['LLMChain'] },
    { label: 'Answer', name: 'outputPrediction', baseClasses: ['string', 'json'] },
  ],
};
const prompt: Definition = {
  ...cards.tool,
  name: 'promptTemplate',
  label: 'Prompt',
  category: 'Prompts',
  baseClasses: ['BasePrompt'],
  inputs: [
    { label: 'Values', name: 'promptValues', type: 'json', optional: true, acceptVariable: true },
    { label: 'Headers', name: 'headers', type: 'json', acceptVariable: true, additionalParams: true },
  ],
};
const canvas = (): Doc => addCard(addCard(emptyDoc(), llm, { x: 0, y: 0 }).doc, prompt, { x: 400, y: 0 }).doc;
const wires = (doc: Doc): string[] => doc.edges.map((edge) => `${edge.sourceHandle} ${edge.targetHandle}`);
const said = '{"a": "{{llmChain_0.data.instance}}"}';

describe('a text of a chat card', () => {
  it('names the cards that give a text and that it does not lead to', () => {
    const doc = canvas();
    expect(textGivers(doc, 'promptTemplate_0').map((one) => one.id)).toEqual(['llmChain_0']);
    expect(offersFor(doc, 'promptTemplate_0', 'cards', [], false)[0]).toEqual({
      text: '{{llmChain_0.data.instance}}',
      detail: { name: 'LLM Chain' },
    });
    const from = { node: 'promptTemplate_0', handle: 'promptTemplate_0-output-promptTemplate-BasePrompt' };
    const led = addConnected(doc, { ...from, side: 'source' }, llm, { x: 800, y: 0 })?.doc ?? doc;
    expect(led.edges).toHaveLength(1);
    // The second chain comes after the prompt, and the first does not.
    expect(textGivers(led, 'promptTemplate_0').map((one) => one.id)).toEqual(['llmChain_0']);
  });

  it('is connected with a card once it names it, and no longer when it does not', () => {
    const named = setInput(canvas(), 'promptTemplate_0', 'promptValues', said);
    expect(wires(named)).toEqual([
      'llmChain_0-output-outputPrediction-string|json promptTemplate_0-input-promptValues-json',
    ]);
    expect(nodeIn(named, 'llmChain_0')?.data.outputs).toEqual({ output: 'outputPrediction' });
    const node = nodeIn(named, 'promptTemplate_0');
    expect(node && inputsOf(node).promptValues).toBe(said);
    expect(wires(setInput(named, 'promptTemplate_0', 'promptValues', '{}'))).toEqual([]);
  });

  it('keeps a connection that was drawn before anything was named', () => {
    const doc = canvas();
    const to = { node: 'promptTemplate_0', handle: 'promptTemplate_0-input-promptValues-json' };
    const drawn = addConnected(doc, { ...to, side: 'target' }, llm, { x: 0, y: 300 })?.doc ?? doc;
    expect(wires(drawn)).toHaveLength(1);
    expect(wires(setInput(drawn, 'promptTemplate_0', 'promptValues', '{"a": 1}'))).toHaveLength(1);
    // It is named beside another one: a text takes several.
    expect(wires(setInput(drawn, 'promptTemplate_0', 'promptValues', said))).toHaveLength(2);
  });

  it('names nothing that gives something else, nor itself', () => {
    const { doc } = canvasOf('model', 'chain', 'tool');
    expect(textGivers(doc, 'chain_0')).toEqual([]);
    expect(setInput(doc, 'chain_0', 'prompt', 'x {{chatModel_0.data.instance}}').edges).toEqual([]);
    expect([
      ...mentions(['{{a_0.data.instance}}', { b: '{{c_1.data.instance.x.y}}' }, '{{question}}']),
    ]).toEqual(['a_0', 'c_1']);
  });

  it('has a place for connections on the face of its card, but for additional settings', () => {
    const node = nodeIn(canvas(), 'promptTemplate_0');
    expect(node && portsOf(node, []).inputs.map((one) => one.label)).toEqual(['Values']);
    const team = node && { ...node, data: { ...node.data, category: 'Harness' } };
    expect(team && portsOf(team, []).inputs).toEqual([]);
  });
});
