import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { chatCanvas } from './flow-support';
import { axe, focused, missing, open, overlaps, serviceForTests, shot } from './harness';
import { layers, screens, show, type Look } from './looks';
import { furnish, type Furnished } from './widths-support';

const { service, signedIn } = serviceForTests();
let flow: string;

beforeAll(async () => {
  if (missing) return;
  const made = await service.call<{ id: string }>('POST', '/chatflows', {
    name: 'Orders',
    type: 'CHATFLOW',
    flowData: await chatCanvas(service),
  });
  flow = made.id;
});

describe.skipIf(missing)('the language of the page', () => {
  it('is that of the browser, from the first screen on', async () => {
    const { page, close } = await open(service.page, { locale: 'de-AT' });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Bei Flowkeep anmelden' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await axe(page);
    await shot(page, 'german-sign-in');
    await close();
  });

  it('is chosen in the account, at once and for good', async () => {
    const { page, close } = await signedIn('/account');
    const choice = page.getByRole('combobox', { name: 'Language' });
    expect((await choice.textContent())?.trim()).toBe('As the browser: English');
    await choice.click();
    await page.getByRole('option', { name: 'Deutsch', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor();
    // The choice has the focus again.
    await expect.poll(() => focused(page)).toBe('Deutsch');
    await axe(page);
    await shot(page, 'german-account');
    for (const [path, title] of [
      ['/', 'Flows'],
      ['/executions', 'Ausführungen'],
      ['/knowledge', 'Wissen'],
      ['/credentials', 'Zugangsdaten'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }
    await page.goto(`/flows/${flow}`);
    await page.getByRole('button', { name: 'Veröffentlichen', exact: true }).waitFor();
    await page.locator('[data-node]').first().waitFor();
    await axe(page);
    await shot(page, 'german-editor');
    await page.goto('/account');
    await page.getByRole('combobox', { name: 'Sprache' }).click();
    await page.getByRole('option', { name: 'Wie der Browser: English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await close();
  });
});

/** What is wider than its place, so that the page scrolls sideways or words are cut. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const name = (one: Element): string => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`;
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page itself'] : [];
    const told = 'button, a, h1, h2, h3, label, legend, th, p, [role=menuitem], [role=option]';
    const cut = [...document.querySelectorAll(told)].filter((one) => {
      const style = getComputedStyle(one);
      const hides = [style.overflowX, style.overflowY].some((how) => how === 'hidden' || how === 'clip');
      // What is cut with a sign for it, and is told in full elsewhere, is meant to be.
      if (!hides || style.textOverflow === 'ellipsis' || one.closest('.sr-only, [aria-hidden=true]'))
        return false;
      // Told to screen readers alone.
      if (style.clipPath !== 'none' || style.clip !== 'auto') return false;
      return one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    });
    const over = [...document.querySelectorAll('nav, fieldset, section, [role=group]')].filter(
      (one) => getComputedStyle(one).overflowX === 'visible' && one.scrollWidth > one.clientWidth + 1,
    );
    // What is open scrolls down where it must, and never sideways.
    const open = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';
    const sideways = [...document.querySelectorAll(open)].filter(
      (one) => one.scrollWidth > one.clientWidth + 1,
    );
    return [
      ...wide,
      ...cut.map(name),
      ...[...over, ...sideways].map((one) => `over the edge of ${name(one)}`),
    ];
  });

describe.skipIf(missing)('long words from right to left', () => {
  const { service, signedIn } = serviceForTests();
  let there: Furnished;
  beforeAll(async () => {
    if (!missing) there = await furnish(service);
  });

  /** What has no room at a width, by where it stands. */
  const faultsOf = async (looks: readonly Look[], width: number): Promise<string[]> => {
    const { page, close } = await signedIn('/favicon.svg', {
      width,
      height: 900,
      pseudo: true,
      allowed: [/nothing-is-here/],
    });
    const faults: string[] = [];
    for (const look of looks) {
      const { name, wide, steps } = look;
      if (wide && width < 768) continue;
      try {
        await show(page, look);
        expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
        // Behind what is open lies a screen that is looked at by itself.
        const wrong = [...(await tooWide(page)), ...(steps ? [] : await overlaps(page))];
        faults.push(...wrong.map((one) => `${name}: ${one}`));
        await shot(page, `pseudo-${width}-${name}`);
      } catch (fault) {
        faults.push(`${name}: ${String(fault).slice(0, 500)}`);
      }
    }
    await close();
    return faults;
  };

  test.each([390, 1024, 1440])(
    'have room on every screen at %i',
    async (width) => {
      expect(await faultsOf(screens(there), width)).toEqual([]);
    },
    300_000,
  );

  test.each([390, 1024, 1440])(
    'have room in every panel and dialog at %i',
    async (width) => {
      expect(await faultsOf(layers(there), width)).toEqual([]);
    },
    600_000,
  );
});
