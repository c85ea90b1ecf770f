import { useMemo, useState, type ReactNode } from 'react';
import type { FlowNode } from '../../../core/flowdata';
import { isNote, nodeLabel } from '../../../core/nodes';
import { Popover, SearchField, Tile } from '../../../ui';
import type { Doc } from '../document/doc';
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
const AROUND = 30;

interface Hit {
  node: FlowNode;
  words: string;
}

/** Finds cards by name, and by the prompts, code and other texts they hold. */
export function FindBar({ doc, open, onOpen, onGo, trigger }: FindBarProps): ReactNode {
  const [typed, setTyped] = useState('');
  const hits = useMemo(() => (open && typed.trim() ? findIn(doc, typed.trim()) : []), [doc, open, typed]);
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

function findIn(doc: Doc, typed: string): Hit[] {
  const wanted = typed.toLowerCase();
  return doc.nodes.flatMap((node) => {
    const named = [nodeLabel(node), node.id, String(node.data.name ?? '')].some((one) =>
      one.toLowerCase().includes(wanted),
    );
    const text = textOf(node.data.inputs).find((one) => one.toLowerCase().includes(wanted));
    if (!named && text === undefined) return [];
    return [{ node, words: text === undefined ? '' : around(text, wanted) }];
  });
}

function textOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textOf) : [];
}

function around(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted);
  const from = Math.max(0, at - AROUND);
  return `${from > 0 ? '…' : ''}${text.slice(from, at + wanted.length + AROUND * 2).replace(/\s+/g, ' ')}`;
}
