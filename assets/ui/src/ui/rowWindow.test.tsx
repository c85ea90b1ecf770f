import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { List, Table } from './index';

const HIGH = 40;
let scrolled = 0;

/** The page as a browser lays it out: each row, and what stands for rows, below the one before. */
beforeEach(() => {
  scrolled = 0;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const row = this.dataset.at !== undefined;
    return new DOMRect(0, row ? 0 : -scrolled, 300, row ? HIGH : 0);
  });
});
afterEach(() => vi.restoreAllMocks());

const scroll = (to: number): void =>
  act(() => {
    scrolled = to;
    fireEvent.scroll(document);
  });

const flows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `f${at}`, name: `Flow ${at}` }));
const table = (count: number) => (
  <Table
    caption="Flows"
    columns={[{ id: 'name', header: 'Name', cell: (row) => <button type="button">{row.name}</button> }]}
    rows={flows(count)}
    rowKey={(row) => row.id}
  />
);
const built = (): number => document.querySelectorAll('[data-at]').length;
const indices = (): number[] =>
  [...document.querySelectorAll('[data-at]')].map((row) => Number(row.getAttribute('aria-rowindex')));

test('a table of 10,000 rows builds those that one sees, wherever one is', () => {
  render(table(10_000));
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001');
  expect(built()).toBeLessThan(80);
  expect(indices()[0]).toBe(2);
  scroll(5000 * HIGH);
  expect(built()).toBeLessThan(80);
  screen.getByText('Flow 5000');
  expect(screen.queryByText('Flow 0')).toBeNull();
  scroll(9990 * HIGH);
  screen.getByText('Flow 9999');
  expect(built()).toBeLessThan(80);
  scroll(0);
  screen.getByText('Flow 0');
  expect(built()).toBeLessThan(80);
});

test('the place of what is left out is kept free', () => {
  render(table(10_000));
  scroll(5000 * HIGH);
  const spaces = [...document.querySelectorAll<HTMLElement>('tbody tr[aria-hidden] td')].map((cell) =>
    Number.parseFloat(cell.style.blockSize),
  );
  expect(spaces.reduce((sum, one) => sum + one, 0) + built() * HIGH).toBe(10_000 * HIGH);
});

test('the row that has the focus stays while one scrolls', () => {
  render(table(10_000));
  const button = screen.getByRole('button', { name: 'Flow 3' });
  act(() => button.focus());
  scroll(5000 * HIGH);
  screen.getByText('Flow 5000');
  expect(document.activeElement).toBe(button);
  expect(indices()[0]).toBe(5);
});

test('the row that had the focus goes with the others once the focus is elsewhere', () => {
  render(table(10_000));
  const button = screen.getByRole('button', { name: 'Flow 3' });
  act(() => button.focus());
  scroll(5000 * HIGH);
  act(() => screen.getByRole('button', { name: 'Flow 5000' }).focus());
  scroll(9000 * HIGH);
  expect(screen.queryByText('Flow 3')).toBeNull();
  screen.getByText('Flow 5000');
  act(() => screen.getByRole('button', { name: 'Flow 5000' }).blur());
  scroll(0);
  expect(screen.queryByText('Flow 5000')).toBeNull();
});

test('a scroll that needs no other rows measures none', () => {
  render(table(10_000));
  scroll(5000 * HIGH);
  const measured = vi.mocked(HTMLElement.prototype.getBoundingClientRect);
  const before = measured.mock.calls.length;
  scroll(5001 * HIGH);
  expect(measured.mock.calls.length - before).toBe(1);
  screen.getByText('Flow 5001');
});

test('a list that became shorter shows what is left of it', () => {
  const { rerender } = render(table(10_000));
  scroll(9990 * HIGH);
  rerender(table(200));
  screen.getByText('Flow 199');
  rerender(table(3));
  expect(screen.getAllByRole('row')).toHaveLength(4);
  expect(built()).toBe(0);
});

test('a list up to a hundred rows is built whole', () => {
  render(table(100));
  expect(screen.getAllByRole('row')).toHaveLength(101);
});

test('a long list of cards says which of how many each is', () => {
  render(
    <List rows={flows(10_000)} rowKey={(row) => row.id} label="Flows" guess={120}>
      {(row) => row.name}
    </List>,
  );
  expect(built()).toBeLessThan(80);
  scroll(5000 * HIGH);
  const item = screen.getByText('Flow 5000');
  expect([item.getAttribute('aria-posinset'), item.getAttribute('aria-setsize')]).toEqual(['5001', '10000']);
});
