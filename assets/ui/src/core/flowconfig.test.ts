import { describe, expect, it } from 'vitest';
import * as config from './flowconfig';

const stored = JSON.stringify({ unknown: { kept: 1 }, theme: 'x', allowedOrigins: [''] });
const kept = { unknown: { kept: 1 }, theme: 'x' };

describe('allowed domains', () => {
  it('read one empty entry as every site', () => {
    expect(config.readDomains(stored)).toEqual({ list: [], message: '' });
    expect(config.readDomains(null)).toEqual({ list: [], message: '' });
  });

  it('are written without blanks, and keep what others wrote', () => {
    const written = config.writeDomains(stored, { list: [' https://a.example/ ', ''], message: 'No' });
    expect(JSON.parse(written)).toEqual({
      ...kept,
      allowedOrigins: ['https://a.example'],
      allowedOriginsError: 'No',
    });
  });

  it.each([
    ['https://shop.example', true],
    ['http://localhost:8080/', true],
    ['shop.example:8443', true],
    ['https://shop.example/path', false],
    ['ftp://shop.example', false],
    ['not a site', false],
    ['*.example', false],
    ['https://user@shop.example', false],
  ])('%s fits: %s', (entry, fits) => expect(config.isOrigin(entry)).toBe(fits));
});

describe('rate limit', () => {
  it('takes numbers as numbers and as text', () => {
    const text = JSON.stringify({ rateLimit: { limitMax: 5, limitDuration: '60' } });
    expect(config.readRate(text)).toEqual({ on: true, max: '5', seconds: '60', message: '' });
    expect(config.readRate(null).on).toBe(false);
  });

  it('is written beside the overrides', () => {
    const before = JSON.stringify({ overrideConfig: { status: true }, rateLimit: { own: 1 } });
    const written = config.writeRate(before, { on: true, max: ' 5 ', seconds: '60', message: '' });
    expect(JSON.parse(written)).toEqual({
      overrideConfig: { status: true },
      rateLimit: { own: 1, status: true, limitMax: '5', limitDuration: '60' },
    });
    expect([config.isCount('3'), config.isCount('0'), config.isCount('2.5'), config.isCount('')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('chat', () => {
  it('reads starter prompts in both forms and writes the common one', () => {
    expect(config.readStarters('{"starterPrompts":{"0":{"prompt":"a"},"1":{"prompt":"b"}}}')).toEqual([
      'a',
      'b',
    ]);
    expect(config.readStarters('{"starterPrompts":[{"prompt":"a"}]}')).toEqual(['a']);
    expect(JSON.parse(config.writeStarters(stored, ['a ', '', 'b']))).toMatchObject({
      ...kept,
      starterPrompts: { '0': { prompt: 'a' }, '1': { prompt: 'b' } },
    });
    expect(JSON.parse(config.writeStarters('{"starterPrompts":{},"a":1}', []))).toEqual({ a: 1 });
  });

  it('keeps colours of the answers beside their picture', () => {
    const before = JSON.stringify({ botMessage: { backgroundColor: '#fff' } });
    const look = { title: 'Shop', picture: '', answerPicture: 'https://a/b.png', welcome: 'Hi', failure: '' };
    const written = config.writeLook(before, look);
    expect(JSON.parse(written)).toEqual({
      title: 'Shop',
      welcomeMessage: 'Hi',
      botMessage: { backgroundColor: '#fff', avatarSrc: 'https://a/b.png', showAvatar: true },
    });
    expect(config.readLook(written)).toEqual(look);
  });

  it('round-trips feedback and leads', () => {
    expect(config.readFeedback(config.writeFeedback(stored, true))).toBe(true);
    const leads = { on: true, title: 'Hi', done: 'Thanks', name: true, email: false, phone: true };
    expect(config.readLeads(config.writeLeads(stored, leads))).toEqual(leads);
  });
});

describe('providers', () => {
  it('keep the settings of those that were not chosen', () => {
    const before = JSON.stringify({ status: false, ollama: { baseUrl: 'http://a', extra: [1] } });
    const value = {
      on: true,
      provider: 'chatOpenAI',
      settings: { chatOpenAI: { modelName: 'm', prompt: '' } },
    };
    const written = config.writeFollowUps({ followUpPrompts: before, chatbotConfig: stored }, value);
    expect(JSON.parse(written.followUpPrompts)).toEqual({
      status: true,
      selectedProvider: 'chatOpenAI',
      ollama: { baseUrl: 'http://a', extra: [1] },
      chatOpenAI: { modelName: 'm' },
    });
    expect(JSON.parse(written.chatbotConfig)).toMatchObject({ ...kept, followUpPrompts: { status: true } });
    expect(config.readFollowUps(written.followUpPrompts)).toMatchObject({ on: true, provider: 'chatOpenAI' });
  });

  it('turn speech on for one at a time', () => {
    const before = JSON.stringify({ groqWhisper: { status: true, model: 'x' }, other: { status: true } });
    const value = { on: true, provider: 'localAISTT', settings: { localAISTT: { baseUrl: 'http://b' } } };
    const written = config.writeSpeech(before, value);
    expect(JSON.parse(written)).toEqual({
      groqWhisper: { status: false, model: 'x' },
      other: { status: false },
      localAISTT: { status: true, baseUrl: 'http://b' },
    });
    expect(config.readSpeech(written).provider).toBe('localAISTT');
    expect(config.readSpeech(config.writeSpeech(written, { ...value, provider: '' })).on).toBe(false);
  });
});

describe('files and code', () => {
  it('round-trips uploads and keeps what it does not know of them', () => {
    const before = JSON.stringify({ fullFileUpload: { pdfFile: { legacyBuild: true } } });
    const files = { on: true, types: ['application/pdf', 'text/csv'], pdf: 'perFile' as const };
    const written = config.writeFiles(before, files);
    expect(config.readFiles(written)).toEqual(files);
    expect(written).toContain('"legacyBuild":true');
  });

  it('keeps code as text within the text', () => {
    const written = config.writeCode(null, { on: true, code: 'return "a\\n";' });
    expect(JSON.parse(written)).toEqual({
      postProcessing: { enabled: true, customFunction: JSON.stringify('return "a\\n";') },
    });
    expect(config.readCode(written).code).toBe('return "a\\n";');
    expect(config.readCode('{"postProcessing":{"customFunction":"return 1;"}}').code).toBe('return 1;');
  });
});

describe('budget of a day', () => {
  it('is taken away where nothing is limited, and keeps what others wrote', () => {
    const written = config.writeBudget(stored, { questions: '50', tokens: '' });
    expect(JSON.parse(written)).toMatchObject({ ...kept, budget: { questionsPerDay: 50 } });
    expect(config.readBudget(written)).toEqual({ questions: '50', tokens: '' });
    const gone = config.writeBudget(written, { questions: ' ', tokens: '' });
    expect(JSON.parse(gone)).not.toHaveProperty('budget');
  });
});
