import { describe, expect, it } from 'vitest';
import { setInput } from './edit';
import { findIn, readCards } from './find';
import { canvasOf } from './samples';

const rich =
  '<p>Answer <span class="variable" data-type="mention" data-id="question" data-label="asked">{{ question }}</span> in a <b>bo</b>ld voice:</p>' +
  '<p>Salt &amp; pepper,&nbsp;please.</p><ul><li>Be brief</li></ul>';
const messages = [{ role: 'system', content: rich }];

/** What is shown of the one card that says something. */
const found = (typed: string): string | null => {
  const doc = setInput(canvasOf('start', 'llm').doc, 'llmAgentflow_0', 'llmMessages', messages);
  const hits = findIn(readCards(doc), typed);
  return hits.find(({ node }) => node.id === 'llmAgentflow_0')?.words ?? null;
};

describe('find on the canvas', () => {
  it('does not find the marks of rich text', () => {
    for (const mark of ['span', 'mention', 'data-type', '<b>', 'amp', 'nbsp', 'variable', 'asked'])
      expect(found(mark), mark).toBeNull();
  });

  it('finds what a person reads, over tags, entities and paragraphs', () => {
    for (const words of ['a bold voice', 'salt & pepper, please', 'voice: salt', 'please. be brief'])
      expect(found(words)?.toLowerCase(), words).toContain(words);
  });

  it('finds variables as they are shown', () => {
    expect(found('{{ question }} in')).toContain('Answer {{ question }} in a bold voice');
  });

  it('finds plain texts and names, whatever the spaces', () => {
    const doc = setInput(
      canvasOf('start', 'llm').doc,
      'llmAgentflow_0',
      'code',
      'if (a <  b)\n  return "<span>";',
    );
    expect(findIn(readCards(doc), 'a < b) return  "<span>"').map(({ node }) => node.id)).toEqual([
      'llmAgentflow_0',
    ]);
    expect(findIn(readCards(doc), 'startagentflow').map(({ words }) => words)).toEqual(['']);
    expect(findIn(readCards(doc), '  ')).toEqual([]);
  });
});
