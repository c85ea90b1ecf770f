/** How soon the page shows that it heard: from a click or a key to the first change that is on screen. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { loaded } from './bench-support';
import { node, panel } from './editor-support';
import { chatCanvas } from './flow-support';
import { missing, serviceForTests } from './harness';

/** The most that may pass until a person sees that something happens, in milliseconds. */
const SOON_MS = 100;
/** Flows in the list that is filtered. */
const FLOWS = 60;
/** How often each is measured: the first time may load a part of the page, and other work of the machine counts too. */
const TIMES = 3;

/** Does something with the mouse or the keyboard; gives the milliseconds until the frame with the first change was drawn. */
async function answered(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    (window as unknown as { answered: Promise<number> }).answered = new Promise((done) => {
      const begin = ({ timeStamp }: Event): void => {
        removeEventListener('pointerdown', begin, true);
        removeEventListener('keydown', begin, true);
        const change = new MutationObserver(() => {
          change.disconnect();
          // What is planned in a frame runs once that frame is drawn.
          requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp)));
        });
        const all = { subtree: true, childList: true, attributes: true, characterData: true };
        change.observe(document.documentElement, all);
      };
      addEventListener('pointerdown', begin, true);
      addEventListener('keydown', begin, true);
    });
  });
  await act();
  return page.evaluate(() => (window as unknown as { answered: Promise<number> }).answered);
}

// Runs with FLOWKEEP_BENCH set, against a built page, as editor-bench does.
describe.skipIf(missing || !process.env.FLOWKEEP_BENCH)('the page answers at once', () => {
  const { service, signedIn } = serviceForTests();
  let flow: string;
  beforeAll(async () => {
    const make = async (name: string): Promise<string> => {
      const flowData = await chatCanvas(service);
      const made = await service.call<{ id: string }>('POST', '/chatflows', {
        name,
        type: 'CHATFLOW',
        flowData,
      });
      return made.id;
    };
    flow = await make('Opened');
    for (let at = 1; at < FLOWS; at += 1) await make(`Flow ${at}`);
  });

  const list = async (page: Page): Promise<void> => {
    await page.goto('/');
    await page.getByRole('link', { name: /^Opened/ }).waitFor();
  };
  const canvas = async (page: Page): Promise<void> => {
    await page.goto(`/flows/${flow}`);
    await node(page, /Buffer Memory/).waitFor();
  };
  const actions: readonly [
    name: string,
    start: (page: Page) => Promise<void>,
    act: (page: Page) => Promise<void>,
    seen: (page: Page) => Promise<void>,
  ][] = [
    [
      'a flow is opened',
      list,
      (page) => page.getByRole('link', { name: /^Opened/ }).click(),
      (page) => node(page, /Buffer Memory/).waitFor(),
    ],
    [
      'the panel of a card is opened',
      canvas,
      (page) => node(page, /Buffer Memory/).click(),
      (page) => panel(page).waitFor(),
    ],
    [
      'the test chat is opened',
      canvas,
      (page) => page.getByRole('button', { name: 'Test', exact: true }).click(),
      (page) => page.getByRole('textbox', { name: 'Message' }).waitFor(),
    ],
    [
      'another tab is chosen',
      canvas,
      (page) => page.getByRole('link', { name: 'Settings', exact: true }).last().click(),
      (page) => page.waitForURL(/\/settings$/),
    ],
    [
      'a dialog is opened',
      list,
      (page) => page.getByRole('button', { name: 'New flow' }).click(),
      (page) => page.getByRole('dialog', { name: 'New flow' }).waitFor(),
    ],
    [
      'a list is filtered',
      list,
      async (page) => {
        await page.getByLabel('Search flows').focus();
        await page.keyboard.press('7');
      },
      (page) => page.getByRole('link', { name: /^Opened/ }).waitFor({ state: 'detached' }),
    ],
  ];

  it.each(actions)('when %s', async (name, start, act, seen) => {
    const { page, close } = await signedIn('/');
    const times: number[] = [];
    while (times.length < TIMES) {
      await start(page);
      // What a screen still loads or saves by itself is no answer to what comes.
      await page.waitForTimeout(1000);
      times.push(await answered(page, () => act(page)));
      await seen(page);
    }
    console.log(`When ${name}: ${times.map((one) => Math.round(one)).join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThanOrEqual(loaded(SOON_MS));
    await close();
  });
});
