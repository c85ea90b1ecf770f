import type { QueryClient } from '@tanstack/react-query';
import { act, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetAllLocal } from '../../../core/localCopy';
import { readDoc } from '../document/doc';
import { canvas, Fake, kept, openFlow, pretty } from './editing-support';

let client: QueryClient;
let fake: Fake;

async function open(person = 'ada') {
  const page = await openFlow(fake, person);
  client = page.client;
  return page;
}

const refresh = (): Promise<void> => act(() => client.invalidateQueries());

beforeEach(() => {
  fake = new Fake('draft');
  vi.stubGlobal('fetch', (address: string, request: RequestInit) => fake.fetch(address, request));
});
afterEach(() => {
  vi.unstubAllGlobals();
  client.clear();
});

describe('edits that were kept', () => {
  async function leave(word: string): Promise<void> {
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty(word)));
    page.close();
  }

  test('are offered until it is decided, and nothing writes over them', async () => {
    await leave('mine');
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change('{}'));
    expect(page.now().text).toBeNull();
    expect(page.now().local?.text).toBe(pretty('mine'));
    expect(kept()?.text).toBe(pretty('mine'));
    act(() => page.now().takeLocal(false));
    expect(page.now()).toMatchObject({ text: pretty('mine'), unsaved: true, local: null });
    await act(() => page.now().save());
    expect(fake.saves).toEqual([canvas('mine')]);
    expect(kept()).toBeNull();
  });

  test('can be dropped', async () => {
    await leave('mine');
    const page = await open();
    act(() => page.now().dropLocal());
    act(() => page.now().begin());
    expect(page.now()).toMatchObject({ text: pretty('live'), local: null });
    expect(kept()).toBeNull();
  });

  test('do not write over Live that was changed since', async () => {
    fake = new Fake('live');
    await leave('mine');
    fake.live = canvas('theirs');
    const page = await open();
    act(() => page.now().takeLocal(false));
    expect(await act(() => page.now().save())).toBe(false);
    expect(page.now().failure?.conflict).toBe(true);
    expect(fake.live).toBe(canvas('theirs'));
    await act(() => page.now().keepMine());
    expect(fake.live).toBe(canvas('mine'));
  });

  test('are not saved over a Live that somebody saves at the same moment', async () => {
    fake = new Fake('live');
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('mine')));
    fake.meanwhile = () => {
      fake.meanwhile = () => undefined;
      fake.live = canvas('theirs');
    };
    expect(await act(() => page.now().save())).toBe(false);
    expect(page.now()).toMatchObject({ text: pretty('mine'), failure: { conflict: true } });
    expect(fake.live).toBe(canvas('theirs'));
  });

  test('are saved to Live although its settings were saved at the same moment', async () => {
    fake = new Fake('live');
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('mine')));
    fake.meanwhile = () => {
      fake.meanwhile = () => undefined;
      fake.touch();
    };
    expect(await act(() => page.now().save())).toBe(true);
    expect(fake.live).toBe(canvas('mine'));
  });

  test('are for the one who made them, and go with signing out', async () => {
    await leave('mine');
    expect((await open('grace')).now().local).toBeNull();
    expect((await open('ada')).now().local).not.toBeNull();
    localStorage.setItem('flowkeep.theme', 'dark');
    forgetAllLocal();
    expect((await open('ada')).now().local).toBeNull();
    expect(localStorage.getItem('flowkeep.theme')).toBe('dark');
  });
});

describe('after a conflict', () => {
  async function conflict() {
    fake.put('before');
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('mine')));
    fake.put('theirs');
    expect(await act(() => page.now().save())).toBe(false);
    expect(page.now()).toMatchObject({ text: pretty('mine'), failure: { conflict: true } });
    return page;
  }

  test('theirs is what the service holds, and can be edited on', async () => {
    const page = await conflict();
    expect(await act(() => page.now().discard())).toBe(true);
    expect(page.now()).toMatchObject({ text: pretty('theirs'), unsaved: false, failure: null });
    act(() => page.now().change(pretty('more')));
    expect(await act(() => page.now().save())).toBe(true);
    expect(fake.draft?.flowData).toBe(canvas('more'));
  });

  test('mine can be kept', async () => {
    const page = await conflict();
    expect(await act(() => page.now().keepMine())).toBe(true);
    expect(fake.draft?.flowData).toBe(canvas('mine'));
    expect(page.now()).toMatchObject({ text: pretty('mine'), state: 'saved' });
  });
});

describe('what happens elsewhere', () => {
  test('is followed while nothing is unsaved: publish, discard, restore', async () => {
    fake.put('draft');
    const page = await open();
    act(() => page.now().begin());
    fake.live = canvas('draft');
    fake.put(null);
    await refresh();
    act(() => page.now().change(pretty('next')));
    expect(await act(() => page.now().save())).toBe(true);
    fake.put('restored');
    await refresh();
    await waitFor(() => expect(page.now().text).toBe(pretty('restored')));
    fake.put(null);
    await refresh();
    await waitFor(() => expect(page.now().text).toBe(pretty('draft')));
    act(() => page.now().change(pretty('last')));
    expect(await act(() => page.now().save())).toBe(true);
  });

  test('leaves edits alone; publishing what they were made from is no conflict', async () => {
    fake.put('draft');
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('mine')));
    fake.live = canvas('draft');
    fake.put(null);
    await refresh();
    expect(page.now()).toMatchObject({ text: pretty('mine'), unsaved: true });
    expect(await act(() => page.now().save())).toBe(true);
  });

  test('may take the place of the edits', async () => {
    fake.put('draft');
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('mine')));
    fake.put(null);
    await refresh();
    act(() => page.now().drop());
    expect(kept()).toBeNull();
    act(() => page.now().begin());
    expect(page.now()).toMatchObject({ text: pretty('live'), unsaved: false, failure: null });
  });
});

describe('a save', () => {
  test('waits for the one before; what is typed meanwhile is kept', async () => {
    const page = await open();
    act(() => page.now().begin());
    act(() => page.now().change(pretty('one')));
    let go = (): void => undefined;
    fake.gate = new Promise((done) => (go = done));
    let first: Promise<boolean> | undefined;
    act(() => void (first = page.now().save()));
    act(() => page.now().change(pretty('two')));
    await act(async () => {
      go();
      await first;
    });
    expect(page.now()).toMatchObject({ text: pretty('two'), unsaved: true, failure: null });
    expect(kept()).toMatchObject({ text: pretty('two'), base: fake.draft?.updatedDate });
    await act(async () => {
      expect(await Promise.all([page.now().save(), page.now().save()])).toEqual([true, true]);
    });
    expect(fake.saves).toEqual([canvas('one'), canvas('two')]);
    expect(page.now()).toMatchObject({ state: 'saved', failure: null });
    expect(kept()).toBeNull();
  });

  test('takes over what the service made of it, also Live', async () => {
    for (const mode of ['draft', 'live'] as const) {
      fake = new Fake(mode);
      fake.store = (flowData) => flowData.replaceAll('inline', 'stored');
      const page = await open();
      act(() => page.now().begin());
      act(() => page.now().change(pretty('inline')));
      expect(await act(() => page.now().save())).toBe(true);
      expect(page.now()).toMatchObject({ text: pretty('stored'), unsaved: false });
      act(() => page.now().change(pretty('again')));
      expect(await act(() => page.now().save())).toBe(true);
      expect(page.now().failure).toBeNull();
      page.close();
    }
  });
});

describe('what is drawn', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** Lets time and answers pass. */
  const pass = (ms: number): Promise<void> =>
    act(async () => {
      await vi.advanceTimersByTimeAsync(ms);
    });

  test('is saved into the draft once drawing rests, with what the canvas is then', async () => {
    const page = await open();
    act(() => page.now().draw(() => canvas('one')));
    expect(page.now().state).toBe('unsaved');
    await pass(500);
    act(() => page.now().draw(() => canvas('two')));
    await pass(500);
    expect(fake.saves).toEqual([]);
    await pass(400);
    expect(fake.saves).toEqual([canvas('two')]);
    expect(page.now()).toMatchObject({ state: 'saved', unsaved: false });
    expect(kept()).toBeNull();
    page.close();
  });

  test('is kept in the browser soon, and saved by who leaves', async () => {
    const page = await open();
    act(() => page.now().draw(() => canvas('one')));
    await pass(350);
    expect(kept()?.text).toBe(canvas('one'));
    page.close();
    await pass(10);
    expect(fake.saves).toEqual([canvas('one')]);
    expect(kept()).toBeNull();
  });

  test('is nothing to decide on for who comes back while it is saved', async () => {
    let go = (): void => undefined;
    fake.gate = new Promise((done) => (go = done));
    const page = await open();
    act(() => page.now().draw(() => canvas('one')));
    await pass(350);
    page.close();
    const back = await open();
    expect(back.now().local?.text).toBe(canvas('one'));
    go();
    await pass(10);
    await refresh();
    expect(back.now().local).toBeNull();
    expect(back.document().open).toBe(true);
    fake.put('theirs');
    await refresh();
    expect(back.now().local).toBeNull();
    back.close();
  });

  test('waits for the service when it does not answer, and goes then', async () => {
    const page = await open();
    const answer = fake.fetch;
    fake.fetch = () => Promise.reject(new TypeError('no network'));
    act(() => page.now().draw(() => canvas('one')));
    await pass(1000);
    expect(page.now().state).toBe('offline');
    expect(kept()?.text).toBe(canvas('one'));
    fake.fetch = answer;
    await pass(20_000);
    expect(fake.saves).toEqual([canvas('one')]);
    expect(page.now().state).toBe('saved');
    page.close();
  });

  test('is not sent without end to a service that answers all but that', async () => {
    const page = await open();
    let sent = 0;
    const answer = fake.fetch;
    fake.fetch = (address, request) => {
      if (request.method !== 'PUT') return answer(address, request);
      sent += 1;
      return Promise.reject(new TypeError('reset'));
    };
    act(() => page.now().draw(() => canvas('one')));
    for (let second = 0; second < 30; second += 1) await pass(1000);
    expect(sent).toBeGreaterThan(2);
    expect(sent).toBeLessThan(8);
    page.close();
  });

  test('has not failed any more once it is undone', async () => {
    const page = await open();
    const answer = fake.fetch;
    fake.fetch = () => Promise.resolve(Response.json({ message: 'Broken.' }, { status: 500 }));
    act(() => page.now().draw(() => canvas('one')));
    await pass(1000);
    expect(page.now().state).toBe('failed');
    fake.fetch = answer;
    act(() => page.now().draw(() => canvas('live')));
    expect(await act(() => page.now().save())).toBe(true);
    expect(page.now()).toMatchObject({ state: 'saved', failure: null });
    expect(kept()).toBeNull();
    page.close();
  });

  test('is not saved over what somebody else saved', async () => {
    const page = await open();
    fake.put('theirs');
    act(() => page.now().draw(() => canvas('mine')));
    await pass(60_000);
    expect(page.now()).toMatchObject({ state: 'conflict', unsaved: true });
    expect(fake.saves).toEqual([]);
    await act(async () => void (await page.now().keepMine()));
    expect(fake.saves).toEqual([canvas('mine')]);
    page.close();
  });

  test('goes on being saved after a text was typed while it was sent', async () => {
    const page = await open();
    let go = (): void => undefined;
    fake.gate = new Promise((done) => (go = done));
    act(() => page.now().draw(() => canvas('one')));
    await pass(900);
    act(() => page.now().change(pretty('typed')));
    go();
    await pass(10);
    expect(page.now()).toMatchObject({ text: pretty('typed'), unsaved: true });
    act(() => page.now().draw(() => canvas('two')));
    await pass(1000);
    expect(fake.saves).toEqual([canvas('one'), canvas('two')]);
    expect(page.now().state).toBe('saved');
    page.close();
  });

  test('is no conflict when it was given up while it was sent, and the next goes on', async () => {
    fake.put('before');
    const page = await open();
    let go = (): void => undefined;
    fake.gate = new Promise((done) => (go = done));
    act(() => page.now().draw(() => canvas('one')));
    await pass(900);
    fake.put(null);
    await refresh();
    act(() => page.now().drop());
    expect(page.now()).toMatchObject({ text: null, state: 'saved' });
    act(() => page.now().draw(() => canvas('two')));
    go();
    await pass(1000);
    expect(fake.saves).toEqual([canvas('two')]);
    expect(page.now()).toMatchObject({ state: 'saved', failure: null });
    page.close();
  });

  test('is no further step in the form that the service stores it', async () => {
    fake.store = (flowData) => flowData.replaceAll('inline', 'stored');
    const page = await open();
    const word = () => page.document().doc?.nodes[0]?.id;
    const put = (name: string) => act(() => page.document().apply((doc) => readDoc(canvas(name)) ?? doc));
    put('inline');
    await pass(1000);
    expect(word()).toBe('stored');
    act(() => page.document().undo());
    expect(word()).toBe('live');
    await pass(1000);
    act(() => page.document().redo());
    expect(word()).toBe('stored');
    await pass(1000);
    expect(fake.saves).toEqual(['inline', 'live', 'stored'].map(canvas));
    page.close();
  });

  test('gives way to what was drawn while it was stored', async () => {
    fake.store = (flowData) => flowData.replaceAll('inline', 'stored');
    const page = await open();
    let go = (): void => undefined;
    fake.gate = new Promise((done) => (go = done));
    act(() => page.document().apply((doc) => readDoc(canvas('inline')) ?? doc));
    await pass(900);
    act(() => page.document().apply((doc) => readDoc(canvas('more')) ?? doc));
    go();
    await pass(1000);
    expect(page.document().doc?.nodes[0]?.id).toBe('more');
    expect(fake.saves).toEqual(['inline', 'more'].map(canvas));
    page.close();
  });

  test('goes to Live only when somebody says so', async () => {
    fake = new Fake('live');
    const page = await open();
    act(() => page.now().draw(() => canvas('one')));
    await pass(60_000);
    expect(fake.saves).toEqual([]);
    expect(page.now().state).toBe('unsaved');
    page.close();
    await pass(100);
    expect(fake.saves).toEqual([]);
  });
});
