import { beforeAll, describe, expect, test } from 'vitest';
import { parts, shell } from '../scripts/loads.mjs';
import { chatCanvas } from './flow-support';
import { axe, missing, overflows, overlaps, serviceForTests, shot } from './harness';

const { service, signedIn } = serviceForTests();
let flow: string;

beforeAll(async () => {
  if (missing) return;
  const made = await service.call<{ id: string }>('POST', '/chatflows', {
    name: 'Questions about orders and returns',
    type: 'CHATFLOW',
    flowData: await chatCanvas(service),
  });
  flow = made.id;
  await service.call('POST', `/flow-drafts/${flow}/publish`, {});
  await service.call('PUT', `/flow-drafts/${flow}`, {
    flowData: await chatCanvas(service, 'Yes.'),
  });
});

describe.skipIf(missing)('every part of the page', () => {
  test.each([
    ['a small phone', 320, 640],
    ['400 % zoom', 320, 200],
    ['200 % zoom', 640, 400],
  ])('has room on %s', async (_, width, height) => {
    const { page, close } = await signedIn('/', { width, height });
    for (const path of [`/flows/${flow}`, `/flows/${flow}/versions`, `/flows/${flow}/settings`]) {
      await page.goto(path);
      await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await overlaps(page)).toEqual([]);
      expect(await overflows(page)).toBe(false);
      await axe(page);
    }
    await shot(page, `header-${width}x${height}`);
    // What is far down can be reached and used.
    const save = page.getByRole('switch', { name: 'Anybody with the link may chat' });
    await save.click();
    await expect.poll(() => save.getAttribute('aria-checked')).toBe('true');
    await save.click();
    await expect.poll(() => save.getAttribute('aria-checked')).toBe('false');
    await close();
  });

  test('is inert behind an open menu or list of choices, and its headings stand in order', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    const openers = [
      page.locator('main button[aria-haspopup=menu]').first(),
      page.getByRole('button', { name: /since Live/ }),
      page.getByRole('button', { name: /Unpublished changes/ }),
      page.locator('nav button[aria-haspopup=menu]').last(),
    ];
    for (const opener of openers) {
      await opener.click();
      await page.locator('[role=menu], [role=dialog]').first().waitFor();
      await axe(page);
      await page.keyboard.press('Escape');
      await expect.poll(() => opener.evaluate((node) => node === document.activeElement)).toBe(true);
    }
    await page.goto(`/flows/${flow}/settings?section=access`);
    const choice = page.getByRole('combobox', { name: 'Who may ask' });
    await choice.click();
    await page.getByRole('listbox').waitFor();
    await axe(page);
    await page.getByRole('option', { name: /Everybody/ }).click();
    await expect.poll(() => choice.evaluate((node) => node === document.activeElement)).toBe(true);
    await close();
  });

  test('that scrolls can be scrolled by keyboard', async () => {
    const { page, close } = await signedIn('/api-keys');
    await page.locator('tbody button[aria-haspopup=dialog]').first().click();
    const list = page.getByRole('dialog').locator('dl');
    await page.keyboard.press('Tab');
    await expect.poll(() => list.evaluate((node) => node === document.activeElement)).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => list.evaluate((node) => node.scrollTop)).toBeGreaterThan(0);
    await close();
  });

  test('is loaded as the budgets count it', async () => {
    const framed = [...shell(), ...parts('Shell')];
    for (const [path, counted] of [
      ['/sign-in', [...shell(), ...parts('SignInPage')]],
      ['/', [...framed, ...parts('FlowsPage')]],
      [`/flows/${flow}`, [...framed, ...parts('FlowScreen', 'Board', 'CardDock', 'PublishButton')]],
    ] as const) {
      const { page, context, close } = await signedIn('/favicon.svg');
      // Who signs in has no session yet.
      if (path === '/sign-in') await context.clearCookies();
      const seen = new Set<string>();
      page.on('request', (one) => {
        const file = /\/(app\/[^?]+\.(?:js|css))$/.exec(new URL(one.url()).pathname)?.[1];
        if (file) seen.add(file);
      });
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      expect([...seen].sort()).toEqual([...new Set(counted)].sort());
      await close();
    }
  });

  test('is asked for while the frame around it is still on its way', async () => {
    const { page, close } = await signedIn('/favicon.svg');
    let framed = (): void => undefined;
    const held = new Promise<void>((done) => (framed = done));
    await page.route(/\/app\/Shell-.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    const screen = page.waitForRequest(/\/app\/FlowsPage-.*\.js$/);
    await page.goto('/');
    await screen;
    framed();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await close();
  });
});
