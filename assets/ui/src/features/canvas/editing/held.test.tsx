import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { losesEdits, sendHeld } from '../../../core/unsaved';
import { canvas, Fake, openFlow, pretty } from './editing-support';

let fake: Fake;
let page: Awaited<ReturnType<typeof openFlow>>;

async function open(mode: 'draft' | 'live') {
  fake = new Fake(mode);
  page = await openFlow(fake);
}

const send = (): Promise<boolean> => act(() => sendHeld());

beforeEach(() => {
  vi.stubGlobal('fetch', (address: string, request: RequestInit) => fake.fetch(address, request));
});
afterEach(() => {
  page.close();
  page.client.clear();
  localStorage.clear();
  vi.unstubAllGlobals();
});

describe('somebody who signed in again', () => {
  test('has what was drawn into a draft saved', async () => {
    await open('draft');
    act(() => page.now().draw(() => canvas('one')));
    expect(await send()).toBe(true);
    expect(fake.saves).toEqual([canvas('one')]);
  });

  test('has nothing saved that goes live', async () => {
    await open('live');
    act(() => page.now().draw(() => canvas('one')));
    expect(await send()).toBe(false);
    expect(fake.saves).toEqual([]);
  });

  test('has no text saved that waits for a button', async () => {
    await open('draft');
    act(() => page.now().begin());
    act(() => page.now().change(pretty('one')));
    expect(await send()).toBe(false);
    expect(fake.saves).toEqual([]);
  });
});

describe('somebody who leaves the flow', () => {
  test('is not asked about a drawing that is saved by itself', async () => {
    await open('draft');
    act(() => page.now().draw(() => canvas('one')));
    expect(losesEdits('/')).toBe(false);
  });

  test('is asked about a text that waits for a button, but not inside the flow', async () => {
    await open('draft');
    act(() => page.now().begin());
    act(() => page.now().change(pretty('one')));
    expect([losesEdits('/'), losesEdits('/flows/f/versions')]).toEqual([true, false]);
  });

  test('is asked about a text that is none of a canvas', async () => {
    await open('draft');
    act(() => page.now().begin());
    act(() => page.now().change('{'));
    expect(losesEdits('/')).toBe(true);
  });
});

describe('a page that is of somebody else by now', () => {
  const kept = () => Object.keys(localStorage).filter((name) => name.startsWith('flowkeep.edit.ada.'));
  const become = (id: string | null): void =>
    void page.client.setQueryData(['me'], id && { id, activeWorkspaceId: 'w' });

  test('leaves nothing behind of who signed out', async () => {
    await open('draft');
    act(() => page.now().draw(() => canvas('one')));
    page.client.setQueryDefaults(['me'], { staleTime: Infinity });
    become(null);
    page.close();
    await Promise.resolve();
    expect(kept()).toEqual([]);
    expect(fake.saves).toEqual([]);
  });

  test('sends no edits of the one before, but keeps them for that person', async () => {
    await open('draft');
    act(() => page.now().draw(() => canvas('one')));
    become('grace');
    expect(await sendHeld()).toBe(false);
    page.close();
    await Promise.resolve();
    expect(kept()).toHaveLength(1);
    expect(fake.saves).toEqual([]);
  });
});
