import { RotateCw } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { CheckStart } from '../../api/checks';
import { relativeTime } from '../../core/format';
import { Banner, Button, Segments } from '../../ui';
import { Cases, type CasesProps } from './Cases';
import css from './Check.module.css';
import { requestAgain } from './plan';
import { passes, type CaseFilter } from './verdict';
import { VerdictView } from './VerdictView';
import { useWords } from './words';

export interface ResultProps extends Omit<CasesProps, 'cases'> {
  busy: boolean;
  onAgain: (body: CheckStart) => void;
}

/** What came of a check: its verdict first, then each question. */
export function Result(props: ResultProps): ReactNode {
  const { check, kept, busy, onAgain } = props;
  const t = useWords();
  const [wanted, setFilter] = useState<CaseFilter>('all');
  const { changed, error } = check.summary.verdicts;
  const ran = check.cases.filter((one) => one.runs.live.length + one.runs.draft.length > 0);
  const counts: Record<CaseFilter, number> = { all: ran.length, changed, error };
  const filter = counts[wanted] > 0 ? wanted : 'all';
  const shown = ran.filter((one) => passes(one, filter));
  const unasked = check.total - ran.length;
  return (
    <>
      <VerdictView check={check} />
      {check.draftChanged && <Banner tone="warning" title={t('check.draftChanged')} />}
      {check.status === 'stopped' && check.stopReason && (
        <Banner title={t(`check.stopped.${check.stopReason}`)}>
          {t('check.stoppedText', { completed: check.completed, total: check.total })}
        </Banner>
      )}
      <div className={css.actions}>
        <Button size="compact" icon={RotateCw} busy={busy} onClick={() => onAgain(requestAgain(check, kept))}>
          {t('check.again')}
        </Button>
        <span className={css.muted}>
          {t('check.ended', { time: relativeTime(check.finishedDate ?? check.startedDate) })}
        </span>
      </div>
      {ran.length > 0 && (
        <section className={css.part} aria-label={t('check.questions')}>
          <header className={css.casesHead}>
            <h3>{t('check.questions')}</h3>
            {changed + error > 0 && (
              <Segments<CaseFilter>
                label={t('check.filter')}
                value={filter}
                onChange={setFilter}
                options={(['all', 'changed', 'error'] as const)
                  .filter((one) => one === 'all' || counts[one] > 0)
                  .map((value) => ({ value, label: t(`check.filter.${value}`, { count: counts[value] }) }))}
              />
            )}
          </header>
          <Cases {...props} cases={shown} />
          {unasked > 0 && <p className={css.muted}>{t('check.unasked', { count: unasked })}</p>}
        </section>
      )}
    </>
  );
}
