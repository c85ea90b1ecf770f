import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { isLost, useCheck, useCheckSetup, type Check } from '../../api/checks';
import { relativeTime } from '../../core/format';
import { Button } from '../../ui';
import css from './Check.module.css';
import { outcomeOf } from './verdict';
import { t } from './words';

/** The newest check of a flow in one line, and the way to it. */
export default function CheckLine({ flow, onOpen }: { flow: string; onOpen: () => void }): ReactNode {
  const setup = useCheckSetup(flow).data;
  const one = useCheck(flow, setup?.check?.id ?? null);
  if (!setup || setup.unavailable) return null;
  const check = isLost(one.error) ? null : (one.data ?? setup.check);
  return (
    <div className={css.checkLine}>
      <p>{check ? told(check) : t(setup.liveEmpty ? 'check.line.draftOnly' : 'check.line.none')}</p>
      <Button size="compact" iconEnd={ArrowRight} onClick={onOpen}>
        {t(check ? 'check.line.see' : 'check.line.begin')}
      </Button>
    </div>
  );
}

function told(check: Check): string {
  if (check.status === 'running')
    return t('check.line.running', { completed: check.completed, total: check.total });
  const sentence = t(`check.outcome.${outcomeOf(check)}`);
  const time = relativeTime(check.finishedDate ?? check.startedDate);
  return t(check.draftChanged ? 'check.line.old' : 'check.line.ended', { sentence, time });
}
