import { beforeEach, expect, test } from 'vitest';
import { hideOthers } from './hideOthers';

const at = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const inert = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('[id]')].filter((one) => one.inert).map((one) => one.id);

function made(id: string, parent: Element, live?: 'polite'): HTMLElement {
  const element = parent.appendChild(document.createElement('div'));
  element.id = id;
  if (live) element.setAttribute('aria-live', live);
  return element;
}

beforeEach(() => {
  document.body.replaceChildren();
  const root = made('root', document.body);
  made('main', root);
  made('news', root, 'polite');
  made('menu', document.body);
  made('other', document.body);
});

test('the rest of the page is inert until it is closed, but for what is announced', () => {
  const open = hideOthers(at('menu'));
  expect(inert()).toEqual(['main', 'other']);
  open();
  expect(inert()).toEqual([]);
});

test('what opens over something else leaves it as it was', () => {
  const first = hideOthers(at('menu'));
  const second = hideOthers([at('other')]);
  expect(inert()).toEqual(['main', 'menu', 'other']);
  second();
  expect(inert()).toEqual(['main', 'other']);
  first();
  expect(inert()).toEqual([]);
});
