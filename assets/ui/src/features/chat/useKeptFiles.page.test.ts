import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { forgetAllLocal, localName } from '../../core/localCopy';
import type { ChatFile } from './conversation';
import { useKeptFiles } from './useKeptFiles';

const place = localName('ada', 'chat.f1');
const opened = (at = place, fresh = false) => renderHook(() => useKeptFiles(at, fresh));
const names = (of: ReturnType<typeof opened>): string[] => of.result.current[0].map(({ name }) => name);
const choose = (of: ReturnType<typeof opened>, ...files: ChatFile[]): void =>
  act(() => of.result.current[1](files));
const file = (name: string, size = 10): ChatFile => ({
  name,
  mime: 'text/plain',
  size,
  data: `data:text/plain;base64,${'A'.repeat(size)}`,
  type: 'file',
});

afterEach(() => sessionStorage.clear());

it('gives back what was chosen and not sent, to its person and in its flow alone', () => {
  const one = opened();
  choose(one, file('notes.txt'));
  one.unmount();
  expect(names(opened())).toEqual(['notes.txt']);
  expect(names(opened(localName('eve', 'chat.f1')))).toEqual([]);
});

it('forgets what was sent, and all of it when the person signs out', () => {
  const one = opened();
  choose(one, file('notes.txt'));
  choose(one);
  one.unmount();
  expect(names(opened())).toEqual([]);
  const two = opened();
  choose(two, file('notes.txt'));
  two.unmount();
  forgetAllLocal();
  expect(names(opened())).toEqual([]);
});

it('keeps none of files that are too large together', () => {
  const one = opened();
  choose(one, file('notes.txt'));
  choose(one, file('notes.txt'), file('book.txt', 2_000_000));
  expect(names(one)).toEqual(['notes.txt', 'book.txt']);
  one.unmount();
  expect(names(opened())).toEqual([]);
});

it('begins without files beside a question that is to be asked once more, and passes over what is odd', () => {
  const one = opened();
  choose(one, file('notes.txt'));
  one.unmount();
  expect(names(opened(place, true))).toEqual([]);
  sessionStorage.setItem(place, '[{"name":"odd"}]');
  expect(names(opened())).toEqual([]);
});
