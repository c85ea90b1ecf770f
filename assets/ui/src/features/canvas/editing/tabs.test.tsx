import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readLocal } from '../../../core/localCopy';
import { Fake, kept, openFlow, placeOf, pretty } from './editing-support';

let fake: Fake;
const open = () => openFlow(fake, 'ada');

/** Another tab keeps edits, and is open, or not any more. */
function keepElsewhere(tab: string, text: string, isOpen: boolean, at = 1): void {
  localStorage.setItem(placeOf(tab), JSON.stringify({ text, base: 'none', at }));
  if (isOpen) localStorage.setItem(`flowkeep.tab.${tab}`, '1');
}

beforeEach(() => {
  fake = new Fake('draft');
  vi.stubGlobal('fetch', (address: string, request: RequestInit) => fake.fetch(address, request));
});
afterEach(() => vi.unstubAllGlobals());

describe('edits', () => {
  test('of a tab that is open are its own', async () => {
    keepElsewhere('open', pretty('theirs'), true);
    const page = await open();
    expect(page.now().local).toBeNull();
    page.close();
    localStorage.clear();
  });

  test('of a tab that was killed are offered once it does not answer', async () => {
    keepElsewhere('killed', pretty('lost'), true);
    const page = await open();
    expect(page.now().local).toBeNull();
    await vi.waitFor(() => expect(page.now().local?.text).toBe(pretty('lost')), { timeout: 2000 });
    page.close();
    localStorage.clear();
  });

  test('of several closed tabs are offered one after the other, and none is lost', async () => {
    keepElsewhere('first', pretty('older'), false, 1);
    keepElsewhere('second', pretty('newer'), false, 2);
    const page = await open();
    expect(page.now().local?.text).toBe(pretty('newer'));
    act(() => page.now().takeLocal(false));
    expect(readLocal(placeOf('second'))).toBeNull();
    expect(kept()?.text).toBe(pretty('newer'));
    expect(readLocal(placeOf('first'))?.text).toBe(pretty('older'));
    await act(() => page.now().save());
    page.close();
    const again = await open();
    expect(again.now().local?.text).toBe(pretty('older'));
    act(() => again.now().dropLocal());
    expect(again.now().local).toBeNull();
    expect(readLocal(placeOf('first'))).toBeNull();
    again.close();
    localStorage.clear();
  });

  test('of a tab that is closed meanwhile are offered while nothing is edited here', async () => {
    keepElsewhere('other', pretty('theirs'), true);
    const page = await open();
    localStorage.removeItem('flowkeep.tab.other');
    act(() => {
      dispatchEvent(new StorageEvent('storage', { key: 'flowkeep.tab.other', newValue: null }));
    });
    expect(page.now().local?.text).toBe(pretty('theirs'));
    page.close();
    localStorage.clear();
  });

  test('that were kept before tabs had places of their own are found', async () => {
    localStorage.setItem('flowkeep.edit.ada.f', JSON.stringify({ text: pretty('old'), base: 'none', at: 1 }));
    const page = await open();
    act(() => page.now().takeLocal(false));
    expect(localStorage.getItem('flowkeep.edit.ada.f')).toBeNull();
    expect(kept()?.text).toBe(pretty('old'));
    page.close();
    localStorage.clear();
  });

  test('of another tab are left alone by a save', async () => {
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('mine')));
    keepElsewhere('other', pretty('theirs'), true);
    expect(kept()?.text).toBe(pretty('mine'));
    expect(await act(() => page.now().save())).toBe(true);
    act(() => page.now().drop());
    expect(kept()).toBeNull();
    expect(readLocal(placeOf('other'))?.text).toBe(pretty('theirs'));
    page.close();
    localStorage.clear();
  });
});
