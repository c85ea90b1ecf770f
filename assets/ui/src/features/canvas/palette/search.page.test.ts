import { describe, expect, it } from 'vitest';
import { cards } from '../document/samples';
import {
  byCategory,
  cardsFor,
  favouriteCards,
  noteRecent,
  recentCards,
  searchCards,
  toggleFavourite,
} from './search';

const all = Object.values(cards);
const labels = (found: readonly { label: string }[]): string[] => found.map((one) => one.label);

describe('the palette', () => {
  it('offers what the kind of canvas is drawn with', () => {
    expect(labels(cardsFor(all, 'AGENTFLOW'))).toContain('Start');
    expect(labels(cardsFor(all, 'CHATFLOW'))).not.toContain('Start');
    const team = { ...cards.chain, label: 'Team', category: 'Harness' };
    const filter = { ...cards.chain, label: 'Filter documents', category: 'ETL' };
    const more = [...all, team, filter];
    expect(labels(cardsFor(more, 'HARNESS')).sort()).toEqual(['Sticky Note', 'Team']);
    expect(labels(cardsFor(more, 'ETL')).sort()).toEqual(['Filter documents', 'Sticky Note', 'Store']);
    expect(cardsFor(more, 'CHATFLOW')).toEqual(cardsFor(all, 'CHATFLOW'));
  });

  it('finds by name before category, and by all words', () => {
    expect(labels(searchCards(all, 'agent')).slice(0, 1)).toEqual(['Agent']);
    expect(labels(searchCards(all, 'other models'))).toEqual(['Other Model']);
    expect(searchCards(all, 'nothing of that')).toEqual([]);
  });

  it('groups by category', () => {
    const groups = byCategory(cardsFor(all, 'CHATFLOW'));
    expect(groups.map((one) => one.name)).toEqual([...groups.map((one) => one.name)].sort());
    expect(labels(groups.find((one) => one.name === 'Chat Models')?.cards ?? [])).toEqual([
      'Chat Model',
      'Other Model',
    ]);
  });

  it('remembers favourites and the last five', () => {
    toggleFavourite('a');
    toggleFavourite('b');
    toggleFavourite('a');
    expect(favouriteCards()).toEqual(['b']);
    for (const name of ['1', '2', '3', '1', '4', '5', '6']) noteRecent(name);
    expect(recentCards()).toEqual(['6', '5', '4', '1', '3']);
  });
});
