import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { forgetAllLocal, localName } from '../../core/localCopy';
import { useKeptText } from './useKeptText';

const place = localName('ada', 'chat.f1');
const opened = (at = place, first?: string) => renderHook(() => useKeptText(at, first));
const text = (of: ReturnType<typeof opened>): string => of.result.current[0];
const type = (of: ReturnType<typeof opened>, typed: string): void => act(() => of.result.current[1](typed));

it('gives back what was typed and not sent, to its person and in its flow alone', () => {
  const one = opened();
  type(one, 'Half a question');
  one.unmount();
  expect(text(opened())).toBe('Half a question');
  expect(text(opened(localName('ada', 'chat.f2')))).toBe('');
  expect(text(opened(localName('eve', 'chat.f1')))).toBe('');
});

it('forgets what was sent, and all of it when the person signs out', () => {
  const one = opened();
  type(one, 'A question');
  type(one, '');
  one.unmount();
  expect(text(opened())).toBe('');
  const two = opened();
  type(two, 'Another');
  two.unmount();
  forgetAllLocal();
  expect(text(opened())).toBe('');
});

it('begins with a question that is to be asked once more', () => {
  expect(text(opened(place, 'Again'))).toBe('Again');
});
