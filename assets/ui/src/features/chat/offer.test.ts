import { describe, expect, it } from 'vitest';
import type { Flow } from '../../api/models';
import { hasCards, kindOf, offerOf, refusal, starterPrompts } from './offer';

const flow = (config: object): Flow => ({ chatbotConfig: JSON.stringify(config) }) as Flow;
const canvas = (inputs: object, name = 'chatOpenAI'): string =>
  JSON.stringify({ nodes: [{ id: 'a', position: { x: 0, y: 0 }, data: { name, inputs } }], edges: [] });
const live = {
  isSpeechToTextEnabled: false,
  isImageUploadAllowed: true,
  isRAGFileUploadAllowed: false,
  imgUploadSizeAndTypes: [],
  fileUploadSizeAndTypes: [],
};

describe('what the chat offers', () => {
  it('takes images as Live or the draft does, and documents as the settings say', () => {
    expect(offerOf(flow({}), live, null)).toMatchObject({ images: true, documents: false });
    expect(offerOf(flow({}), live, canvas({}))).toMatchObject({ images: false, accept: '' });
    const full = { fullFileUpload: { status: true, allowedUploadFileTypes: 'application/pdf' } };
    expect(offerOf(flow(full), undefined, canvas({ allowImageUploads: true }))).toEqual({
      images: true,
      audio: false,
      documents: true,
      store: [],
      accept: 'image/png,image/jpeg,image/gif,image/webp,application/pdf',
    });
  });

  it('refuses what the flow does not take, what is too large and what is too much', () => {
    const offer = offerOf(flow({}), live, null);
    expect(refusal({ type: 'image/png', name: 'a.png', size: 10 }, 0, 0, offer)).toBeNull();
    expect(refusal({ type: 'image/png', name: 'a.png', size: 6e6 }, 0, 0, offer)).toBe('size');
    expect(refusal({ type: 'image/png', name: 'a.png', size: 10 }, 20, 0, offer)).toBe('count');
    expect(refusal({ type: 'text/plain', name: 'a.txt', size: 10 }, 0, 0, offer)).toBe('kind');
  });

  it('sends what nothing else takes into the vector store', () => {
    const rag = { ...live, fileUploadSizeAndTypes: [{ fileTypes: ['.txt', '.pdf'], maxUploadSize: 25 }] };
    const offer = offerOf(flow({}), rag, null);
    expect(offer.accept).toContain('.txt,.pdf');
    const text = { type: 'text/plain', name: 'a.TXT', size: 10 };
    expect(refusal(text, 0, 0, offer)).toBeNull();
    expect(kindOf(text, offer)).toBe('file:rag');
    expect(kindOf({ type: 'image/png', name: 'a.png' }, offer)).toBe('file');
    expect(kindOf(text, offerOf(flow({ fullFileUpload: { status: true } }), rag, null))).toBe('file');
    const loader = { name: 'textFile', category: 'Document Loaders', inputs: {} };
    const params = [{ name: 'txtFile', type: 'file', fileType: '.txt, .md' }];
    const draft = (on: unknown): string =>
      JSON.stringify({
        nodes: [
          { id: 'a', position: { x: 0, y: 0 }, data: { ...loader, inputParams: params } },
          { id: 'b', position: { x: 0, y: 0 }, data: { name: 'faiss', inputs: { fileUpload: on } } },
        ],
        edges: [],
      });
    expect(offerOf(flow({}), live, draft(true)).store).toEqual(['.txt', '.md']);
    expect(offerOf(flow({}), rag, draft('')).store).toEqual([]);
  });

  it('reads starter prompts in both forms', () => {
    expect(starterPrompts(flow({ starterPrompts: { 0: { prompt: ' Hi? ' }, 1: { prompt: '' } } }))).toEqual([
      'Hi?',
    ]);
    expect(starterPrompts(flow({ starterPrompts: [{ prompt: 'Yo?' }] }))).toEqual(['Yo?']);
    expect(starterPrompts({ chatbotConfig: null } as Flow)).toEqual([]);
  });

  it('knows an empty canvas, notes or not', () => {
    expect(hasCards('{"nodes":[],"edges":[]}')).toBe(false);
    expect(hasCards(canvas({}, 'stickyNote'))).toBe(false);
    expect(hasCards(canvas({}))).toBe(true);
  });
});
