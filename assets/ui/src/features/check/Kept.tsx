import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useChangeKept, type KeptQuestion } from '../../api/checks';
import { relativeTime } from '../../core/format';
import { Badge, Button, ConfirmDialog, later, RowMenu } from '../../ui';
import css from './Check.module.css';
import { isKind, typed, type ExpectationKind } from './expectations';
import { dropping, KEPT_MAX, moving } from './kept';
import { Refusal } from './Refusal';
import own from './Kept.module.css';
import { t } from './words';

// Most people look at what is kept, and few change it.
const KeptForm = later(async () => ({ default: (await import('./KeptForm')).KeptForm }), null);

export interface KeptProps {
  flow: string;
  rows: readonly KeptQuestion[];
  /** Something was typed that is lost when this goes. */
  onTyped: (typed: boolean) => void;
}

/** The questions that are kept for the checks of a flow, in the order in which they are asked. */
export function Kept({ flow, rows, onTyped }: KeptProps): ReactNode {
  const [editing, edit] = useState<string | 'new' | null>(null);
  const [deleting, ask] = useState<KeptQuestion | null>(null);
  const change = useChangeKept(flow);
  const close = (): void => edit(null);
  return (
    <section className={css.part} aria-label={t('check.kept')}>
      <h3>{t('check.kept')}</h3>
      <p className={css.muted}>{t('check.keptText', { most: KEPT_MAX })}</p>
      {!deleting && <Refusal error={change.error} />}
      {rows.length === 0 && editing === null && <p className="nothing">{t('check.keptNone')}</p>}
      <ol className={own.keptList}>
        {rows.map((row, at) => (
          <li key={row.id} className={own.kept}>
            {editing === row.id ? (
              <KeptForm flow={flow} row={row} onClose={close} onTyped={onTyped} />
            ) : (
              <>
                <KeptView row={row} number={at + 1} />
                <RowMenu
                  name={t('check.question', { number: at + 1 })}
                  items={[
                    { label: t('check.editKept'), icon: Pencil, onSelect: () => edit(row.id) },
                    {
                      label: t('check.moveUp'),
                      icon: ArrowUp,
                      disabled: at === 0,
                      onSelect: () => change.mutate(moving(row.id, -1)),
                    },
                    {
                      label: t('check.moveDown'),
                      icon: ArrowDown,
                      disabled: at === rows.length - 1,
                      onSelect: () => change.mutate(moving(row.id, 1)),
                    },
                    'separator',
                    { label: t('kit.delete'), icon: Trash2, danger: true, onSelect: () => ask(row) },
                  ]}
                />
              </>
            )}
          </li>
        ))}
        {editing === 'new' && (
          <li className={own.kept}>
            <KeptForm flow={flow} row={null} onClose={close} onTyped={onTyped} />
          </li>
        )}
      </ol>
      {editing === null && (
        <div>
          <Button size="compact" icon={Plus} disabled={rows.length >= KEPT_MAX} onClick={() => edit('new')}>
            {t('check.addKept')}
          </Button>
        </div>
      )}
      {deleting && (
        <ConfirmDialog
          open
          title={t('check.deleteTitle')}
          confirm={t('check.deleteKept')}
          busy={change.isPending}
          error={change.error?.message ?? null}
          onConfirm={() => change.mutate(dropping(deleting.id), { onSuccess: () => ask(null) })}
          onClose={() => {
            change.reset();
            ask(null);
          }}
        >
          <p>{deleting.text}</p>
          {deleting.expect.length > 0 && <p>{t('check.deleteExpect', { count: deleting.expect.length })}</p>}
        </ConfirmDialog>
      )}
    </section>
  );
}

function KeptView({ row, number }: { row: KeptQuestion; number: number }): ReactNode {
  const { text, expect, from, keptDate } = row;
  return (
    <div className={own.keptBody}>
      <p className={own.keptText}>
        <span className="sr-only">{t('check.question', { number })}: </span>
        {text}
      </p>
      <p className={css.origin}>
        {t(`check.keptFrom.${from}`)} · {t('check.keptWhen', { time: relativeTime(keptDate) })}
      </p>
      {expect.length > 0 && (
        <ul className={own.expects} aria-label={t('check.expectations')}>
          {expect.map(({ kind, value }, at) => (
            <li key={at}>
              <Badge className={own.expect}>{isKind(kind) ? described(kind, value) : kind}</Badge>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** An expectation in a few words. */
function described(kind: ExpectationKind, value: unknown): string {
  if (kind === 'refuses') return t(value === true ? 'check.expects.refuses' : 'check.expects.refusesNot');
  const text = typed(value).replace(/\s+/g, ' ');
  return t(`check.expects.${kind}`, { value: text.length > 60 ? `${text.slice(0, 60)}…` : text });
}
