import { expect, test } from 'vitest';
import type { Client } from './client';
import { accepted, judge, prepare, takesFiles, type PickedFile } from './files';
import { readConfig } from './settings';
import { TEXTS } from './texts';

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

test('what the store of a flow takes is stored before it is asked about', async () => {
  const stored: string[] = [];
  const keeper = {
    store: (files: File[]) => {
      stored.push(...files.map(({ name }) => name));
      return Promise.resolve();
    },
  } as unknown as Client;
  const file = new File(['x'], 'notes.txt', { type: 'text/plain' });
  const uploads = await prepare([{ file, type: 'file:rag' }], keeper);
  expect(stored).toEqual(['notes.txt']);
  expect(uploads).toEqual([
    { type: 'file:rag', name: 'notes.txt', mime: 'text/plain', data: 'data:text/plain;base64,eA==' },
  ]);
});

test('a file goes to the store where documents are not read, by its type or its ending', () => {
  const offer = {
    isRAGFileUploadAllowed: true,
    fileUploadSizeAndTypes: [{ fileTypes: ['.MD', 'text/plain'], maxUploadSize: 1 }],
  };
  const { uploads } = readConfig({ uploads: offer });
  const kind = (name: string, type = '', size = 1): unknown => {
    const judged = judge(new File(['x'.repeat(size)], name, { type }), uploads, TEXTS);
    return typeof judged === 'string' ? 'refused' : judged.type;
  };
  expect([takesFiles(uploads), accepted(uploads)]).toEqual([true, '.md,text/plain']);
  expect(kind('a.txt', 'text/plain')).toBe('file:rag');
  expect(kind('a.md')).toBe('file:rag');
  expect(kind('a.exe', 'application/x-msdownload')).toBe('refused');
  expect(kind('a.md', '', 2 * 1024 * 1024)).toBe('refused');
  const both = readConfig({ uploads: offer, fullFileUpload: { status: true } }).uploads;
  expect(judge(new File(['x'], 'a.txt', { type: 'text/plain' }), both, TEXTS)).toMatchObject({
    type: 'file:full',
  });
});
