import { Bookmark, ChevronRight, CircleAlert } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { CheckCase } from '../../api/checks';
import { number } from '../../core/format';
import { Badge, Button, cx } from '../../ui';
import { Fold } from '../../ui/run/Parts';
import { AllAnswers, Answers } from './Answers';
import css from './Check.module.css';
import { isRemarkable } from './verdict';
import { VerdictBadge } from './VerdictBadge';
import { t, useWords } from './words';

export interface CaseViewProps {
  one: CheckCase;
  liveEmpty: boolean;
  isKept: boolean;
  onKeep: () => void;
  onKept: () => void;
  goToNode: (id: string) => void;
}

/** One question of a check: what differs and why, the answers beside each other, and on demand everything else. */
export function CaseView(props: CaseViewProps): ReactNode {
  const { one, liveEmpty } = props;
  const [open, setOpen] = useState(() => isRemarkable(one));
  return (
    <details className={css.case} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={css.caseHead}>
        <ChevronRight size={14} aria-hidden className={css.chevron} />
        <span className={cx(css.caseQuestion, !open && css.clamped)}>{one.question}</span>
        {!liveEmpty && <VerdictBadge verdict={one.verdict} />}
      </summary>
      {open && <Opened {...props} />}
    </details>
  );
}

function Opened({ one, liveEmpty, isKept, onKeep, onKept, goToNode }: CaseViewProps): ReactNode {
  const { runs, steps, similarity, controlSimilarity } = one;
  const t = useWords();
  const percent = (value: number): string => `${number(Math.round(value * 100))} %`;
  return (
    <div className={css.opened}>
      <Reasons why={one.why} confirmed={liveEmpty ? null : one.confirmed} />
      <Answers live={one.live} draft={one.draft} liveEmpty={liveEmpty} />
      {similarity !== null && (
        <p className={css.muted}>
          {t('check.similarity', { share: percent(similarity) })}
          {controlSimilarity !== null &&
            ` ${t('check.controlSimilarity', { share: percent(controlSimilarity) })}`}
        </p>
      )}
      {runs.live.length + runs.draft.length > 2 && (
        <Fold label={t('check.allAnswers', { live: runs.live.length, draft: runs.draft.length })}>
          <AllAnswers runs={runs} />
        </Fold>
      )}
      {steps.length > 0 && (
        <Fold label={t('check.steps', { count: steps.length })}>
          <ul className={css.steps} aria-label={t('check.stepsList')}>
            {steps.map(({ nodeId, nodeLabel, difference }) => (
              <li key={`${nodeId} ${difference}`}>
                <button type="button" className={css.link} onClick={() => goToNode(nodeId)}>
                  {nodeLabel || nodeId}
                </button>{' '}
                {t(`check.step.${difference}`)}
              </li>
            ))}
          </ul>
        </Fold>
      )}
      <div className={css.actions}>
        {isKept ? (
          <>
            <Badge icon={Bookmark} tone="accent">
              {t('check.isKept')}
            </Badge>
            <Button size="compact" variant="ghost" onClick={onKept}>
              {t('check.expectMore')}
            </Button>
          </>
        ) : (
          <Button size="compact" icon={Bookmark} onClick={onKeep}>
            {t('check.keep')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** What differs, in sentences, and whether it was seen twice. */
function Reasons({ why, confirmed }: Pick<CheckCase, 'why' | 'confirmed'>): ReactNode {
  if (why.length === 0) return null;
  return (
    <div className={css.reasons}>
      <ul className={css.why} aria-label={t('check.why')}>
        {why.map(({ code, message }, at) => (
          <li key={at} className={css.reason}>
            <Badge
              tone={code === 'error' ? 'danger' : code === 'expectation' ? 'warning' : 'neutral'}
              {...(code === 'error' ? { icon: CircleAlert } : {})}
            >
              {t(`check.code.${code}`)}
            </Badge>
            <span>{message}</span>
          </li>
        ))}
      </ul>
      {confirmed !== null && (
        <p className={css.muted}>{t(confirmed ? 'check.confirmed' : 'check.unconfirmed')}</p>
      )}
    </div>
  );
}
