import { Plus } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useChangeKept, type KeptChange, type KeptQuestion } from '../../api/checks';
import { Banner, Button, Field, TextArea } from '../../ui';
import css from './Check.module.css';
import { ExpectationFields } from './ExpectationFields';
import {
  nextRow,
  NoJson,
  placeRefusal,
  readRows,
  ROWS_MAX,
  writeRows,
  type PlacedRefusal,
} from './expectations';
import { adding, changing } from './kept';
import own from './Kept.module.css';
import { t, useWords } from './words';

export interface KeptFormProps {
  flow: string;
  /** Null for a new one. */
  row: KeptQuestion | null;
  onClose: () => void;
  /** Something was typed that is lost when this goes. */
  onTyped: (typed: boolean) => void;
}

/** A question that is kept, and what its answers are expected to be. */
export function KeptForm({ flow, row, onClose, onTyped }: KeptFormProps): ReactNode {
  const say = useWords();
  const [text, setText] = useState(row?.text ?? '');
  const [rows, setRows] = useState(() => readRows(row?.expect ?? []));
  const [refused, setRefused] = useState<PlacedRefusal | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const change = useChangeKept(flow);
  const [dirty, setDirty] = useState(false);
  useEffect(() => {
    onTyped(dirty);
    return () => onTyped(false);
  }, [dirty, onTyped]);
  const focus = (what: string): void => {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(what)?.focus());
  };
  const refuse = (placed: PlacedRefusal): void => {
    setRefused(placed);
    focus('[aria-invalid="true"]');
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    setRefused(null);
    const wanted = changeOf();
    if (wanted) {
      change.mutate(wanted, {
        onSuccess: onClose,
        onError: (error) => refuse(placeRefusal(error.message)),
      });
    }
  };
  const changeOf = (): KeptChange | null => {
    try {
      const edited = { text, expect: writeRows(rows) };
      return row ? changing(row.id, edited) : adding(edited);
    } catch (fault) {
      if (!(fault instanceof NoJson)) throw fault;
      refuse({ at: fault.row, message: t('check.noJson') });
      return null;
    }
  };
  const put = (next: typeof rows): void => {
    setDirty(true);
    setRows(next);
    setRefused(null);
  };
  return (
    <form ref={form} className={own.keptForm} onSubmit={save} noValidate>
      <Field label={t('check.keptQuestion')} error={refused?.at === 'text' ? refused.message : null}>
        <TextArea
          rows={2}
          // What was chosen is what is worked on.
          autoFocus
          className={css.grows}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setDirty(true);
            setRefused(null);
          }}
        />
      </Field>
      <div className={css.part} role="group" aria-label={t('check.expectations')}>
        <div>
          <p className={css.strong}>{t('check.expectations')}</p>
          <p className="note">{say('check.expectationsHelp')}</p>
        </div>
        {rows.map((one, at) => (
          <ExpectationFields
            key={one.key}
            number={at + 1}
            row={one}
            error={refused?.at === at ? refused.message : null}
            onChange={(next) => put(rows.map((other) => (other.key === one.key ? next : other)))}
            onRemove={() => {
              put(rows.filter((other) => other.key !== one.key));
              focus('[data-add]');
            }}
          />
        ))}
        <div>
          <Button
            size="compact"
            icon={Plus}
            data-add
            disabled={rows.length >= ROWS_MAX}
            onClick={() => {
              const next = nextRow(rows);
              put([...rows, next]);
              focus(`[data-row="${next.key}"] [role=combobox]`);
            }}
          >
            {t('check.addExpectation')}
          </Button>
        </div>
      </div>
      {refused?.at === 'form' && <Banner tone="danger" title={refused.message} />}
      <div className={css.actions}>
        <Button type="submit" size="compact" busy={change.isPending}>
          {t('kit.save')}
        </Button>
        <Button size="compact" variant="ghost" onClick={onClose} disabled={change.isPending}>
          {t('kit.cancel')}
        </Button>
      </div>
    </form>
  );
}
