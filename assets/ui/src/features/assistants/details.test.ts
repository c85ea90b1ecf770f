import { expect, test } from 'vitest';
import { nextTool, readDetails, writeDetails } from './details';

const stored = {
  name: 'Desk',
  chatModel: { name: 'chatOpenAI', inputs: { modelName: 'gpt-4o' }, credential: 'c' },
  instruction: 'Be brief.',
  documentStores: [{ id: 's', name: 'Hand book', description: 'Rules', returnSourceDocuments: true }],
  tools: [
    { name: 'calculator', inputs: {}, credential: null },
    { name: 'calculator', inputs: { a: 1 }, credential: null },
  ],
  kept: { by: 'another client' },
};

test('details are read and written, with what other clients keep there', () => {
  const read = readDetails(JSON.stringify(stored));
  expect(read.model).toEqual({ name: 'chatOpenAI', config: { modelName: 'gpt-4o', credential: 'c' } });
  expect(read.tools.map(({ key, name }) => [key, name])).toEqual([
    [0, 'calculator'],
    [1, 'calculator'],
  ]);
  expect(JSON.parse(writeDetails(read))).toEqual(stored);
  expect(nextTool('gmail', read.tools)).toEqual({ name: 'gmail', config: {}, key: 2 });
});

test('an assistant may have a name alone', () => {
  const read = readDetails('{"name":" Desk "}');
  expect([read.model.name, read.tools, read.stores]).toEqual(['', [], []]);
  expect(JSON.parse(writeDetails(read))).toEqual({
    name: 'Desk',
    instruction: '',
    tools: [],
    documentStores: [],
  });
});

test('what is no assistant is an empty one', () => {
  for (const bad of ['', '[]', 'x', '{"tools":7,"chatModel":"","documentStores":[1]}'])
    expect(readDetails(bad)).toMatchObject({ name: '', tools: [], stores: [], model: { name: '' } });
});
