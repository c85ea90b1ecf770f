import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { focusCardSoon } from './focusCard';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

const put = (html: string): void => {
  document.body.append(document.createRange().createContextualFragment(html));
};
const at = (): string | undefined => (document.activeElement as HTMLElement).id;

test('a card gets the focus once it is drawn, after the dialog that leads to it gave it back', () => {
  put('<button id="publish"></button>');
  focusCardSoon('n1');
  document.getElementById('publish')?.focus();
  vi.advanceTimersByTime(300);
  expect(at()).toBe('publish');
  put('<button id="card" data-node="n1"></button>');
  vi.advanceTimersByTime(50);
  expect(at()).toBe('card');
});

test('the panel of the card keeps the focus that it took', () => {
  put('<aside><input id="name"></aside><button id="card" data-node="n1"></button>');
  focusCardSoon('n1');
  document.getElementById('name')?.focus();
  vi.advanceTimersByTime(1000);
  expect(at()).toBe('name');
});

test('a card that is never drawn is not waited for without end', () => {
  focusCardSoon('n1');
  vi.advanceTimersByTime(10_000);
  expect(vi.getTimerCount()).toBe(0);
});
