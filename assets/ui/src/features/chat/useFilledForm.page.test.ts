import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { keepLocal, localName } from '../../core/localCopy';
import { useFilledForm } from './useFilledForm';

const place = localName('ada', 'form.f1');
const opened = (at = place) => renderHook(() => useFilledForm(at));

it('gives back what was filled in and not sent, of each canvas', () => {
  const one = opened();
  act(() => one.result.current.fill('draft', { town: 'Bern' }));
  act(() => one.result.current.fill('live', { fast: true }));
  one.unmount();
  expect(opened().result.current.filled).toEqual({ draft: { town: 'Bern' }, live: { fast: true } });
  expect(opened(localName('ada', 'form.f2')).result.current.filled).toEqual({});
});

it('keeps what was sent on the screen alone, and again when it was not sent after all', () => {
  const one = opened();
  act(() => one.result.current.fill('draft', { town: 'Bern' }));
  act(() => one.result.current.send());
  expect(one.result.current.filled).toEqual({ draft: { town: 'Bern' } });
  expect(opened().result.current.filled).toEqual({});
  act(() => one.result.current.takeBack());
  expect(opened().result.current.filled).toEqual({ draft: { town: 'Bern' } });
  act(() => one.result.current.clear());
  one.unmount();
  expect(opened().result.current.filled).toEqual({});
});

it('takes nothing from what is no form', () => {
  keepLocal(localName('ada', 'form.f3'), { text: '{"draft":7,"live":null}', base: 'question', at: 0 });
  expect(opened(localName('ada', 'form.f3')).result.current.filled).toEqual({});
});
