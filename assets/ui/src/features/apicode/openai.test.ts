import { describe, expect, it } from 'vitest';
import { languages, openAi } from './openai';
import { KEY, type Target } from './snippets';

const target: Target = { base: 'https://flows.example', id: 'abc', key: false, streaming: false };

describe.each(languages)('code of OpenAI’s protocol in %s', (language) => {
  const make = openAi[language];

  it('asks this server, with the flow as the model', () => {
    expect(make(target)).toContain('https://flows.example/api/v1/openai/v1');
    expect(make(target)).toMatch(/model"?[:=] ?["']abc["']/);
  });

  it('has a place for a key, also where the flow needs none', () => {
    expect(make(target)).toContain(KEY);
    expect(make({ ...target, key: true })).toBe(make(target));
  });

  it('asks for a stream only when that is wanted', () => {
    expect(make(target)).not.toMatch(/stream/);
    expect(make({ ...target, streaming: true })).toMatch(/stream"?[:=] ?[tT]rue/);
  });
});

it('is a call whose body is JSON of a question', () => {
  const body = /-d '(.*)'$/.exec(openAi.curl(target))?.[1] ?? '';
  expect(JSON.parse(body)).toEqual({ model: 'abc', messages: [{ role: 'user', content: 'Hello' }] });
});
