import { describe, expect, it } from 'vitest';
import { curl, embed, embedFull, embedOther, javascript, KEY, python, type Target } from './snippets';

const target: Target = { base: 'https://flows.example', id: 'abc', key: false, streaming: false };
const makers = { curl, python, javascript };

describe.each(Object.entries(makers))('%s', (_name, make) => {
  it('calls this server', () => {
    expect(make(target)).toContain('https://flows.example/api/v1/prediction/abc');
  });

  it('mentions a key only where one is needed, and never a real one', () => {
    expect(make(target)).not.toContain('Authorization');
    expect(make({ ...target, key: true })).toContain(`Bearer ${KEY}`);
  });

  it('asks for a stream only when that is wanted', () => {
    expect(make(target)).not.toMatch(/streaming/);
    expect(make({ ...target, streaming: true })).toMatch(/streaming/);
  });
});

describe('embeds', () => {
  it('name the flow and the server', () => {
    for (const code of [embed(target), embedFull(target), embedOther(target)]) {
      expect(code).toContain("chatflowid: 'abc'");
      expect(code).toContain("apiHost: 'https://flows.example'");
    }
    expect(embed(target)).toContain("import Chat from 'https://flows.example/widget.js'");
  });
});
