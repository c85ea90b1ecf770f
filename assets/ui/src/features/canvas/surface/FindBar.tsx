import { useMemo, useState, type ReactNode } from 'react';
import { isNote, nodeLabel } from '../../../core/nodes';
import { Popover, SearchField, Tile } from '../../../ui';
import type { Doc } from '../document/doc';
import { findIn, readCards } from '../document/find';
import { t } from '../words';
import css from './Board.module.css';
import { kindOf } from '../board/kinds';

export interface FindBarProps {
  doc: Doc;
  open: boolean;
  onOpen: (open: boolean) => void;
  onGo: (id: string) => void;
  trigger: ReactNode;
}

const SHOWN_MAX = 40;

/** Finds cards by name, and by the prompts, code and other texts they hold. */
export function FindBar({ doc, open, onOpen, onGo, trigger }: FindBarProps): ReactNode {
  const [typed, setTyped] = useState('');
  const cards = useMemo(() => (open ? readCards(doc) : []), [doc, open]);
  const hits = useMemo(() => findIn(cards, typed), [cards, typed]);
  const go = (id: string): void => {
    onOpen(false);
    onGo(id);
  };
  return (
    <Popover label={t('editor.find')} open={open} onOpenChange={onOpen} width={340} trigger={trigger}>
      {/* Enter goes to the first, arrows go through the list. */}
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement && hits[0])
            go(hits[0].node.id);
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          const items = [...event.currentTarget.querySelectorAll<HTMLElement>('input, li button')];
          items[items.indexOf(document.activeElement as HTMLElement) + step]?.focus();
        }}
      >
        <SearchField
          label={t('editor.findLabel')}
          value={typed}
          onChange={setTyped}
          className={css.typed}
          autoFocus
        />
        <p className="sr-only" role="status">
          {typed.trim() && t('editor.found', { count: hits.length })}
        </p>
        {typed.trim() && hits.length === 0 && <p className="nothing">{t('editor.nothingFound')}</p>}
        <ul className={css.hits}>
          {hits.slice(0, SHOWN_MAX).map(({ node, words }) => (
            <li key={node.id}>
              <button type="button" className={css.hit} onClick={() => go(node.id)}>
                <Tile {...kindOf(node)} size="small" />
                <span className={css.hitWords}>
                  <span className="clipped">{isNote(node) ? t('canvas.note') : nodeLabel(node)}</span>
                  {words && <span className="note clipped">{words}</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Popover>
  );
}
