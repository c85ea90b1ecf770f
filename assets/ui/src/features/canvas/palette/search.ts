import { includesWords } from '../../../core/words';
import { readPref, writePref } from '../../../core/prefs';
import type { Card } from '../../../api/cards';
import type { FlowType } from '../../../api/models';
import { isNoteCard, isStepCard } from '../document/definition';

/** Categories of cards that only a harness, and only a pipeline, is drawn with. */
const TEAMS = 'Harness';
const PIPELINES = 'ETL';
/** What a pipeline is drawn with besides: where its documents come from, and where they go. */
const AROUND_PIPELINES = ['Document Loaders', 'Text Splitters', 'Embeddings', 'Vector Stores'];

const places: Record<FlowType, (card: Card) => boolean> = {
  AGENTFLOW: isStepCard,
  HARNESS: (card) => card.category === TEAMS || isNoteOfCards(card),
  ETL: (card) => [PIPELINES, ...AROUND_PIPELINES].includes(card.category) || isNoteOfCards(card),
  CHATFLOW: isOfChat,
  ASSISTANT: isOfChat,
  MULTIAGENT: isOfChat,
};

function isOfChat(card: Card): boolean {
  return !isStepCard(card) && ![TEAMS, PIPELINES].includes(card.category);
}

function isNoteOfCards(card: Card): boolean {
  return isNoteCard(card) && !isStepCard(card);
}

/** The cards that a flow of this kind is drawn with. */
export const cardsFor = (cards: readonly Card[], type: FlowType): Card[] => cards.filter(places[type]);

/** Cards that all typed words are found in; names that begin with them first. */
export function searchCards(cards: readonly Card[], typed: string): Card[] {
  const words = typed.trim().toLowerCase();
  if (!words) return [...cards];
  const rank = (card: Card): number => {
    const label = card.label.toLowerCase();
    if (label.startsWith(words)) return 0;
    if (label.includes(words)) return 1;
    return card.category.toLowerCase().includes(words) ? 2 : 3;
  };
  return cards
    .filter((card) => includesWords([card.label, card.name, card.category, card.description], typed))
    .sort((a, b) => rank(a) - rank(b));
}

export interface CardGroup {
  name: string;
  cards: Card[];
}

/** Cards by category, both in the order of the alphabet. */
export function byCategory(cards: readonly Card[]): CardGroup[] {
  const groups = new Map<string, Card[]>();
  for (const card of cards) groups.set(card.category, [...(groups.get(card.category) ?? []), card]);
  return [...groups]
    .map(([name, all]) => ({ name, cards: all.sort((a, b) => a.label.localeCompare(b.label)) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

const RECENT_MAX = 5;

const names = (pref: string): string[] => (readPref(pref) ?? '').split(' ').filter(Boolean);

export const favouriteCards = (): string[] => names('cards.favourite');
export const recentCards = (): string[] => names('cards.recent');

export function toggleFavourite(name: string): void {
  const now = favouriteCards();
  const next = now.includes(name) ? now.filter((one) => one !== name) : [...now, name];
  writePref('cards.favourite', next.join(' ') || null);
}

/** Cards that were put down last come first. */
export function noteRecent(name: string): void {
  writePref(
    'cards.recent',
    [name, ...recentCards().filter((one) => one !== name)].slice(0, RECENT_MAX).join(' '),
  );
}
