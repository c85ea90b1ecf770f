import { Braces, Maximize2 } from 'lucide-react';
import { useId, useRef, useState, type ReactNode } from 'react';
import { Button, cx, Dialog, IconButton, TextArea } from '../../../ui';
import type { Offer } from '../document/references';
import { keepForm, plainOf } from '../document/richtext';
import { t } from '../words';
import css from './Panel.module.css';

export interface VariableTextProps {
  value: string;
  onChange: (value: string) => void;
  offers: readonly Offer[];
  rows: number;
  readOnly: boolean;
  label: string;
}

const SHOWN_MAX = 30;

/** Text that can name variables: after `{{` it offers what there is to name. */
export function VariableText(props: VariableTextProps): ReactNode {
  const [large, setLarge] = useState(false);
  const plain = plainOf(props.value);
  const shared = {
    ...props,
    value: plain ?? props.value,
    onChange: (typed: string) => props.onChange(plain === null ? typed : keepForm(typed, props.value)),
  };
  return (
    <>
      <Suggesting {...shared} onLarge={() => setLarge(true)} />
      {large && (
        <Dialog
          open
          size="large"
          onClose={() => setLarge(false)}
          title={props.label}
          footer={<Button onClick={() => setLarge(false)}>{t('kit.close')}</Button>}
        >
          <Suggesting {...shared} rows={20} named />
        </Dialog>
      )}
    </>
  );
}

interface SuggestingProps extends VariableTextProps {
  onLarge?: () => void;
  /** There is no field around it that names it. */
  named?: boolean;
}

function Suggesting(props: SuggestingProps): ReactNode {
  const { value, onChange, offers, rows, readOnly, label, onLarge, named } = props;
  const input = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const shown =
    typed === null
      ? []
      : offers
          .filter((one) => one.text.toLowerCase().includes(typed.trim().toLowerCase()))
          .slice(0, SHOWN_MAX);
  const open = shown.length > 0;

  const look = (): void => {
    const at = input.current;
    if (!at || readOnly) return;
    const found = /\{\{([^{}\n]*)$/.exec(at.value.slice(0, at.selectionStart));
    setTyped(found ? (found[1] ?? '') : null);
    setActive(0);
  };
  const write = (text: string, caret: number): void => {
    onChange(text);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(caret, caret);
      look();
    });
  };
  const take = (offer: Offer): void => {
    const at = input.current;
    if (!at) return;
    const before = at.value.slice(0, at.selectionStart).replace(/\{\{[^{}\n]*$/, '');
    const after = at.value.slice(at.selectionStart).replace(/^[^{}\n]*\}\}/, '');
    write(`${before}${offer.text}${after}`, before.length + offer.text.length);
    setTyped(null);
  };
  const begin = (): void => {
    const at = input.current;
    if (!at) return;
    const [from, to] = [at.value.slice(0, at.selectionStart), at.value.slice(at.selectionEnd)];
    write(`${from}{{${to}`, from.length + 2);
  };
  return (
    <div className={css.suggesting}>
      <TextArea
        ref={input}
        {...(named ? { 'aria-label': label } : {})}
        className={css.grows}
        rows={rows}
        value={value}
        readOnly={readOnly}
        spellCheck={false}
        aria-autocomplete="list"
        aria-controls={open ? list : undefined}
        aria-activedescendant={open ? `${list}-${active}` : undefined}
        onChange={(event) => {
          onChange(event.target.value);
          look();
        }}
        onClick={look}
        onBlur={() => setTyped(null)}
        onKeyDown={(event) => {
          if (!open) return;
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          const chosen = shown[active];
          if (step !== undefined) setActive((active + step + shown.length) % shown.length);
          else if (event.key === 'Enter' && chosen) take(chosen);
          else if (event.key === 'Escape') setTyped(null);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {!readOnly && (
        <div className={css.textTools}>
          {offers.length > 0 && (
            <IconButton size="compact" icon={Braces} label={t('editor.insertVariable')} onClick={begin} />
          )}
          {onLarge && (
            <IconButton size="compact" icon={Maximize2} label={t('editor.large')} onClick={onLarge} />
          )}
        </div>
      )}
      {open && (
        <ul id={list} role="listbox" aria-label={t('editor.insertVariable')} className={css.offers}>
          {shown.map((offer, at) => (
            // The text field has the focus and the keys.
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events
            <li
              key={offer.text}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === active}
              ref={at === active ? (one) => one?.scrollIntoView({ block: 'nearest' }) : undefined}
              className={cx(css.offer, at === active && css.activeOffer)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(offer)}
            >
              <code>{offer.text}</code>
              <span className="note">
                {typeof offer.detail === 'string' ? t(offer.detail) : offer.detail.name}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
