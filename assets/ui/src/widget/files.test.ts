import { expect, test } from 'vitest';
import type { Client } from './client';
import { prepare, type PickedFile } from './files';

const picked = (name: string): PickedFile => ({ file: new File(['x'], name), type: 'file:full' });
const client = (...texts: string[]): Client =>
  ({
    attach: () => Promise.resolve(texts.map((content) => ({ name: 'notes.txt', content }))),
  }) as unknown as Client;

test('documents of the same name keep their own text', async () => {
  const uploads = await prepare([picked('notes.txt'), picked('notes.txt')], client('first', 'second'));
  expect(uploads.map(({ data }) => data)).toEqual(['first', 'second']);
});

test('a document without its text is not sent', async () => {
  await expect(prepare([picked('a.txt'), picked('b.txt')], client('only one'))).rejects.toThrow('attach');
});
