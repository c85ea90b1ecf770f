import { ChevronRight, Star } from 'lucide-react';
import { useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { Card } from '../../../api/cards';
import { readPref, subscribePrefs } from '../../../core/prefs';
import { cx, SearchField, Tile } from '../../../ui';
import { kindOfCard } from '../board/kinds';
import { t } from '../words';
import css from './Palette.module.css';
import { byCategory, favouriteCards, recentCards, searchCards, toggleFavourite } from './search';

/** What a card that is dragged onto the canvas is sent as. */
export const DRAG_TYPE = 'application/x-flowkeep-card';

export interface PaletteProps {
  cards: readonly Card[];
  onPick: (card: Card) => void;
  autoFocus?: boolean;
  /** Cards can be dragged onto the canvas. */
  draggable?: boolean;
}

/** The cards that can be put on a canvas: by search, favourites, the last ones, categories. */
export function Palette({ cards, onPick, autoFocus = false, draggable = false }: PaletteProps): ReactNode {
  const [typed, setTyped] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const favourite = useSyncExternalStore(subscribePrefs, () => readPref('cards.favourite'));
  const recent = useSyncExternalStore(subscribePrefs, () => readPref('cards.recent'));
  const groups = useMemo(() => {
    const named = (names: readonly string[]): Card[] =>
      names.flatMap((name) => cards.find((card) => card.name === name) ?? []);
    void favourite;
    void recent;
    const [best, last] = [named(favouriteCards()), named(recentCards())];
    return [
      ...(best.length > 0 ? [{ name: t('editor.favourites'), cards: best }] : []),
      ...(last.length > 0 && cards.length > 8 ? [{ name: t('editor.recent'), cards: last }] : []),
      ...byCategory(cards),
    ];
  }, [cards, favourite, recent]);
  const found = useMemo(() => (typed.trim() ? searchCards(cards, typed) : null), [cards, typed]);
  const starred = favouriteCards();

  const move = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const items = [...(box.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])].filter(
      (one) => one.checkVisibility?.() ?? true,
    );
    if (event.key === 'Enter' && found?.[0] && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      onPick(found[0]);
    }
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (at + step < 0) box.current?.querySelector('input')?.focus();
    else items[Math.min(items.length - 1, at + step)]?.focus();
  };
  const item = (card: Card, key: string): ReactNode => (
    <Item
      key={key}
      card={card}
      starred={starred.includes(card.name)}
      draggable={draggable}
      onPick={() => onPick(card)}
    />
  );
  return (
    // Arrow keys go through the list from everywhere inside.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={box} className={css.palette} onKeyDown={move}>
      <div className={css.search}>
        <SearchField
          label={t('editor.searchCards')}
          value={typed}
          onChange={setTyped}
          className={css.typed}
          autoFocus={autoFocus}
        />
      </div>
      <div className={css.list} role="group" aria-label={t('editor.cards')}>
        {found ? (
          found.length > 0 ? (
            <ul>{found.map((card) => item(card, card.name))}</ul>
          ) : (
            <p className="nothing" role="status">
              {t('editor.noCards')}
            </p>
          )
        ) : (
          groups.map((group, at) => (
            <details key={group.name} open={groups.length < 6 || at < 2} className={css.group}>
              <summary>
                <ChevronRight size={14} aria-hidden className={css.chevron} />
                {group.name}
                <span className={css.count}>{group.cards.length}</span>
              </summary>
              <ul>{group.cards.map((card) => item(card, `${group.name} ${card.name}`))}</ul>
            </details>
          ))
        )}
      </div>
    </div>
  );
}

interface ItemProps {
  card: Card;
  starred: boolean;
  draggable: boolean;
  onPick: () => void;
}

function Item({ card, starred, draggable, onPick }: ItemProps): ReactNode {
  const kind = kindOfCard(card);
  return (
    <li className={css.item}>
      <button
        type="button"
        data-card={card.name}
        className={css.card}
        title={card.description}
        onClick={onPick}
        draggable={draggable}
        onDragStart={(event) => {
          event.dataTransfer.setData(DRAG_TYPE, card.name);
          event.dataTransfer.effectAllowed = 'copy';
        }}
      >
        <Tile icon={kind.icon} hue={kind.hue} size="small" />
        <span className={css.words}>
          <span className="clipped">{card.label}</span>
          <span className={cx('note', 'clipped')}>{card.description}</span>
        </span>
      </button>
      <button
        type="button"
        className={cx(css.star, starred && css.starred)}
        aria-pressed={starred}
        aria-label={t('editor.favourite', { name: card.label })}
        onClick={() => toggleFavourite(card.name)}
      >
        <Star size={14} aria-hidden />
      </button>
    </li>
  );
}
