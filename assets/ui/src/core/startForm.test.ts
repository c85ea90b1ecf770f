import { expect, test } from 'vitest';
import { sentForm, startFormOf, valuesOf } from './startForm';

const canvas = (inputs: object) =>
  JSON.stringify({
    nodes: [
      {
        id: 'startAgentflow_0',
        type: 'agentFlow',
        position: { x: 0, y: 0 },
        data: { id: 'startAgentflow_0', name: 'startAgentflow', inputs },
      },
    ],
    edges: [],
  });

const fields = [
  { type: 'string', name: 'name', label: 'Your name' },
  { type: 'number', name: 'age', label: 'Age' },
  { type: 'boolean', name: 'news', label: 'News' },
  { type: 'options', name: 'size', label: 'Size', addOptions: [{ option: 'S' }, { option: 'L' }, {}] },
  { type: 'later', name: 'other' },
  { type: 'string', label: 'Without a name' },
];

test('the form of a canvas is read with care', () => {
  const form = startFormOf(
    canvas({ startInputType: 'formInput', formTitle: 'Order', formInputTypes: fields }),
  );
  expect(form?.title).toBe('Order');
  expect(form?.fields.map(({ name, type, label }) => [name, type, label])).toEqual([
    ['name', 'string', 'Your name'],
    ['age', 'number', 'Age'],
    ['news', 'boolean', 'News'],
    ['size', 'options', 'Size'],
    ['other', 'string', 'other'],
  ]);
  expect(form?.fields[3]?.options).toEqual(['S', 'L']);
  expect(startFormOf(canvas({ startInputType: 'chatInput', formInputTypes: fields }))).toBeNull();
  expect(startFormOf('{')).toBeNull();
});

test('what is sent has numbers as numbers, and nothing of what is empty', () => {
  const form = startFormOf(canvas({ startInputType: 'formInput', formInputTypes: fields }));
  if (!form) throw new Error('no form');
  expect(sentForm(form, valuesOf(form))).toEqual({ news: false });
  expect(sentForm(form, { name: 'Ada', age: '36', news: true, size: 'L' })).toEqual({
    name: 'Ada',
    age: 36,
    news: true,
    size: 'L',
  });
});

test('what was filled in is shown where its field still takes it', () => {
  const form = startFormOf(canvas({ startInputType: 'formInput', formInputTypes: fields }));
  if (!form) throw new Error('no form');
  const first = { name: '', age: '', news: false, size: '', other: '' };
  expect(valuesOf(form)).toEqual(first);
  const filled = { name: 'Ada', age: '36', news: true, size: 'L', gone: 'x' };
  expect(valuesOf(form, filled)).toEqual({ ...filled, other: '', gone: undefined });
  expect(valuesOf(form, { name: true, age: 'old', news: 'yes', size: 'XL' })).toEqual(first);
});
