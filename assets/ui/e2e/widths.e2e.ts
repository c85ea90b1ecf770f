/** Every screen, panel and dialog at three widths: nothing stands in the way of anybody, and nothing is wider than the page. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { node } from './editor-support';
import { chatCanvas, type Made } from './flow-support';
import { axe, missing, open, serviceForTests, shot } from './harness';
import { layers, screens, show, type Look } from './looks';
import { furnish, type Furnished } from './widths-support';

describe.skipIf(missing)('every screen, panel and dialog', () => {
  const { service, signedIn } = serviceForTests();
  let there: Furnished;
  beforeAll(async () => {
    there = await furnish(service);
  });

  /** What is wrong with these at a width. */
  const faultsOf = async (looks: readonly Look[], width: number): Promise<string[]> => {
    const faults: string[] = [];
    const { page, close } = await signedIn('/favicon.svg', {
      width,
      height: 900,
      allowed: [/nothing-is-here/],
    });
    for (const look of looks) {
      const { name, wide } = look;
      if (wide && width < 768) continue;
      try {
        await show(page, look);
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (over > 0) faults.push(`${name}: the page scrolls sideways by ${over}`);
        await shot(page, `widths-${width}-${name}`);
        await axe(page);
      } catch (fault) {
        faults.push(`${name}: ${String(fault).slice(0, 1500)}`);
      }
    }
    await close();
    return faults;
  };

  it.each([390, 1024, 1440])(
    'is open to everybody at %i: screens',
    async (width) => {
      expect(await faultsOf(screens(there), width)).toEqual([]);
    },
    600_000,
  );

  it.each([390, 1024, 1440])(
    'is open to everybody at %i: panels and dialogs',
    async (width) => {
      expect(await faultsOf(layers(there), width)).toEqual([]);
    },
    600_000,
  );

  /** What comes over a canvas by itself, while edits of it wait to be sent. */
  const stops: [name: string, stop: (page: Page, id: string) => Promise<unknown>, answer: RegExp][] = [
    [
      'conflict',
      async (page, id) => {
        const flowData = await chatCanvas(service, 'Theirs');
        await service.call('PUT', `/flow-drafts/${id}`, { flowData });
        await node(page, /Buffer Memory/).press('Delete');
        await page.getByRole('button', { name: 'Compare' }).click();
      },
      /409/,
    ],
    [
      'session-ended',
      async (page) => {
        await page.context().clearCookies();
        await node(page, /Buffer Memory/).press('Delete');
      },
      /401/,
    ],
  ];

  it.each(stops)('is open to everybody at every width: %s', async (name, stop, answer) => {
    const flow = { name, type: 'CHATFLOW', flowData: await chatCanvas(service) };
    const { id } = await service.call<Made>('POST', '/chatflows', flow);
    // Edits are made on a wide page: a narrow one draws no canvas.
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 900, allowed: [answer] });
    await node(page, /Buffer Memory/).waitFor();
    await stop(page, id);
    const dialog = page.getByRole('dialog');
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await dialog.waitFor();
      const wider = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('[role=dialog]')]
          .map((one) => one.scrollWidth - one.clientWidth)
          .filter((over) => over > 0),
      );
      expect(wider, `${name} at ${width}`).toEqual([]);
      await shot(page, `widths-${width}-${name}`);
      await axe(page);
    }
    await close();
  });

  it('is open to everybody before signing in', async () => {
    for (const width of [390, 1024, 1440]) {
      const allowed = [/account\/verify .*400/, /public-executions\/none .*404/];
      const { page, close } = await open(service.page, { width, height: 900, allowed });
      for (const path of ['/sign-in', '/invite?token=old', '/reset?token=old', '/execution/none']) {
        await page.goto(path);
        await page.locator('h1').first().waitFor();
        await page.waitForLoadState('networkidle');
        await shot(page, `widths-${width}${path.replace(/\W+/g, '-')}`);
        await axe(page);
      }
      await page.goto('/sign-in');
      await page.getByRole('button', { name: /Forgot/ }).click();
      await axe(page);
      await close();
    }
  });
});
