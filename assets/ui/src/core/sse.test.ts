import { describe, expect, it } from 'vitest';
import { readStream, StreamParser } from './sse';

const WHOLE =
  'message:\ndata:{"event":"start","data":""}\n\n:heartbeat\nmessage:\ndata:{"event":"token","data":"Grüße"}\n\nmessage:\ndata:{"event":"end","data":"[DONE]"}\n\n';

describe('StreamParser', () => {
  it('reads events and leaves out comments and unknown fields', () => {
    expect(new StreamParser().push(WHOLE)).toEqual([
      { event: 'start', data: '' },
      { event: 'token', data: 'Grüße' },
      { event: 'end', data: '[DONE]' },
    ]);
  });

  it('gives the same however the text is cut', () => {
    const whole = new StreamParser().push(WHOLE);
    for (let size = 1; size < 9; size += 1) {
      const parser = new StreamParser();
      const out = [];
      for (let at = 0; at < WHOLE.length; at += size) out.push(...parser.push(WHOLE.slice(at, at + size)));
      expect(out).toEqual(whole);
    }
  });

  it('takes CRLF, named events, several data lines and text that is no JSON', () => {
    const parser = new StreamParser();
    expect(parser.push('event: note\r\ndata: one\r\ndata: two\r\n\r\n')).toEqual([
      { event: 'note', data: 'one\ntwo' },
    ]);
    expect(parser.push('data: {"a":1}\n\n')).toEqual([{ event: 'message', data: { a: 1 } }]);
  });

  it('gives the last event of a stream that breaks off after it', () => {
    const parser = new StreamParser();
    expect(parser.push('data:{"event":"end","data":"x"}')).toEqual([]);
    expect(parser.end()).toEqual([{ event: 'end', data: 'x' }]);
  });
});

describe('readStream', () => {
  it('joins letters that were cut between two chunks', async () => {
    const bytes = new TextEncoder().encode(WHOLE);
    const body = new ReadableStream<Uint8Array>({
      start(control) {
        for (let at = 0; at < bytes.length; at += 5) control.enqueue(bytes.slice(at, at + 5));
        control.close();
      },
    });
    const seen = [];
    for await (const event of readStream(body)) seen.push(event.data);
    expect(seen).toEqual(['', 'Grüße', '[DONE]']);
  });
});
