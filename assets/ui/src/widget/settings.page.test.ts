import { describe, expect, test } from 'vitest';
import { judge, takesFiles } from './files';
import { mergeLook, readConfig, readFollowUps, readPrompts } from './settings';
import { filled, texts, TEXTS, type TextKey } from './texts';

describe('the configuration of a flow', () => {
  test('starter prompts come as a list or an object', () => {
    expect(readPrompts({ 0: { prompt: 'A' }, 1: { prompt: '' }, 2: { prompt: 'B' } })).toEqual(['A', 'B']);
    expect(readPrompts(['A', { prompt: 'B' }, 3, null])).toEqual(['A', 'B']);
    expect(readPrompts('A')).toEqual([]);
  });

  test('follow-up prompts come as JSON text', () => {
    expect(readFollowUps('["A","B"]')).toEqual(['A', 'B']);
    expect(readFollowUps('no')).toEqual([]);
    expect(readFollowUps(undefined)).toEqual([]);
  });

  test.each([
    null,
    'text',
    [],
    5,
    { flowData: 'x', leads: 7, uploads: [], chatFeedback: null, botMessage: 'x' },
  ])('what has the wrong shape is as if it were not there: %s', (value) => {
    const { starters, feedback, leads, form, uploads } = readConfig(value);
    expect({ starters, feedback, leads, form, uploads }).toMatchObject({
      starters: [],
      feedback: false,
      uploads: { images: [], documents: false },
    });
    expect([leads, form]).toEqual([undefined, undefined]);
  });

  test('a form that starts the flow is read from the start card', () => {
    const inputs = {
      startInputType: 'formInput',
      formTitle: 'Order',
      formInputTypes: [
        { type: 'string', label: 'Name', name: 'name' },
        { type: 'options', label: 'Size', name: 'size', addOptions: [{ option: 'S' }, { option: 'L' }] },
        { type: 'string', label: 'No name' },
      ],
    };
    const flowData = JSON.stringify({ nodes: [{ data: { name: 'startAgentflow', inputs } }] });
    expect(readConfig({ flowData }).form).toEqual({
      title: 'Order',
      description: undefined,
      fields: [
        { type: 'string', name: 'name', label: 'Name', options: [] },
        { type: 'options', name: 'size', label: 'Size', options: ['S', 'L'] },
      ],
    });
  });

  test('the page goes before the flow, field by field', () => {
    const flow = readConfig({
      title: 'Flow',
      welcomeMessage: '',
      botMessage: { backgroundColor: '#fff', showAvatar: true },
    }).look;
    const merged = mergeLook(
      { title: undefined, welcomeMessage: 'Page', botMessage: { backgroundColor: '#000' } },
      flow,
    );
    expect(merged).toMatchObject({
      title: 'Flow',
      welcomeMessage: 'Page',
      botMessage: { backgroundColor: '#000', showAvatar: true },
    });
  });
});

describe('files', () => {
  const rules = readConfig({
    uploads: {
      isImageUploadAllowed: true,
      imgUploadSizeAndTypes: [{ fileTypes: ['image/png', ''], maxUploadSize: 1 }],
    },
    fullFileUpload: { status: true, allowedUploadFileTypes: 'application/pdf, text/markdown' },
  }).uploads;
  const file = (name: string, type: string, size = 1): File =>
    new File([new Uint8Array(size)], name, { type });
  const kind = (one: File): string => {
    const found = judge(one, rules, texts(undefined));
    return typeof found === 'string' ? found : found.type;
  };

  test('each goes the way the flow takes it', () => {
    expect(takesFiles(rules)).toBe(true);
    expect(takesFiles(readConfig({}).uploads)).toBe(false);
    expect(kind(file('a.png', 'image/png'))).toBe('file');
    expect(kind(file('a.pdf', 'application/pdf'))).toBe('file:full');
    expect(kind(file('a.md', 'text/markdown'))).toBe('file:full');
    expect(kind(file('a.gif', 'image/gif'))).toContain('not taken');
    expect(kind(file('a.exe', 'application/x-msdownload'))).toContain('not taken');
    expect(kind(file('b.png', 'image/png', 2 * 1024 * 1024))).toContain('larger than 1 MB');
  });
});

test('texts are German where the page or the browser is', () => {
  const german = texts({ send: 'Los' }, 'de-AT');
  expect([german.send, german.stop, german.error503]).toEqual([
    'Los',
    'Antwort stoppen',
    'Der Chat ist ausgelastet. Gleich noch einmal versuchen.',
  ]);
  const values = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, text] of Object.entries(TEXTS))
    expect(values(texts(undefined, 'de')[key as TextKey]), key).toEqual(values(text));
  expect(texts(undefined, 'fr')).toEqual(TEXTS);
});

test('texts can be replaced one by one', () => {
  const changed = texts({ send: 'Senden' });
  expect([changed.send, changed.stop]).toEqual(['Senden', TEXTS.stop]);
  expect(filled('{a} of {b} {c}', { a: 1, b: '$&' })).toBe('1 of $& {c}');
});
