import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { isLost, useCheck, useCheckSetup, type Check, type CheckSource } from '../../api/checks';
import { relativeTime } from '../../core/format';
import { Button } from '../../ui';
import css from './Check.module.css';
import { outcomeOf } from './verdict';
import { wordsOf } from './words';

export interface CheckLineProps {
  flow: string;
  /** What is checked: the draft, where nothing else is said. */
  source?: CheckSource;
  onOpen: () => void;
}

/** The newest check of a flow in one line, and the way to it. */
export default function CheckLine({ flow, source = 'draft', onOpen }: CheckLineProps): ReactNode {
  const t = wordsOf(source);
  const setup = useCheckSetup(flow, source).data;
  const one = useCheck(flow, setup?.check?.id ?? null, source);
  if (!setup || setup.unavailable) return null;
  const check = isLost(one.error) ? null : (one.data ?? setup.check);
  return (
    <div className={css.checkLine}>
      <p>{check ? told(check, t) : t(setup.liveEmpty ? 'check.line.draftOnly' : 'check.line.none')}</p>
      <Button size="compact" iconEnd={ArrowRight} onClick={onOpen}>
        {t(check ? 'check.line.see' : 'check.line.begin')}
      </Button>
    </div>
  );
}

function told(check: Check, t: ReturnType<typeof wordsOf>): string {
  if (check.status === 'running')
    return t('check.line.running', { completed: check.completed, total: check.total });
  const sentence = t(`check.outcome.${outcomeOf(check)}`);
  const time = relativeTime(check.finishedDate ?? check.startedDate);
  return t(check.draftChanged ? 'check.line.old' : 'check.line.ended', { sentence, time });
}
