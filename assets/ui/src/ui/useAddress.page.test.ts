import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { useAddress } from './useAddress';

beforeEach(() => history.replaceState(null, '', '/list?q=words&page=2'));
const address = () => renderHook(() => useAddress()).result;
const search = (): string => location.search;

describe('the filters of an address', () => {
  test('are read, set and taken away; others stay', () => {
    const now = address();
    expect([now.current.read('q'), now.current.read('flow')]).toEqual(['words', '']);
    act(() => now.current.put({ flow: 'f1', page: '' }));
    expect(search()).toBe('?q=words&flow=f1');
  });

  test('are cleared by name, those that are not set too', () => {
    const now = address();
    act(() => now.current.clear(['q', 'flow']));
    expect(search()).toBe('?page=2');
  });

  test('make a link that has no empty question', () => {
    const now = address();
    expect(now.current.to({ page: '3' })).toBe('/list?q=words&page=3');
    expect(now.current.to({ page: '', q: '' })).toBe('/list');
    expect(search()).toBe('?q=words&page=2');
  });

  test('that are set one after the other add up', () => {
    const now = address();
    act(() => {
      now.current.put({ flow: 'f1' });
      now.current.put({ page: '' });
    });
    expect(search()).toBe('?q=words&flow=f1');
  });

  test('replace what was there, or leave it to Back', () => {
    const now = address();
    const before = history.length;
    act(() => now.current.put({ q: 'other' }));
    expect(history.length).toBe(before);
    act(() => now.current.go({ q: 'more' }));
    expect(history.length).toBe(before + 1);
  });
});
