import { Square } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FillProgress } from '../../api/stores';
import { number } from '../../core/format';
import type { Key } from '../../i18n';
import { Button } from '../../ui';
import css from './Knowledge.module.css';
import { t } from './words';

/** How far something is, with Stop for who began it. */
export function JobLine(props: { progress: FillProgress | null; onStop?: () => void }): ReactNode {
  const { progress, onStop } = props;
  const { phase = 'loading', done = 0, total = null } = progress ?? {};
  const name = t(`knowledge.phase.${phase}` as Key);
  const words =
    total === null
      ? t('knowledge.progressOpen', { phase: name })
      : t('knowledge.progress', { phase: name, done: number(done), total: number(total) });
  return (
    <div className={css.job}>
      <progress
        className={css.bar}
        aria-label={words}
        {...(total === null ? {} : { value: done, max: total || 1 })}
      />
      <p className={css.jobWords}>
        <span role="status">{words}</span>{' '}
        <span className="muted">{onStop ? t('knowledge.leaving') : t('knowledge.runs')}</span>
      </p>
      {onStop && (
        <Button size="compact" icon={Square} onClick={onStop}>
          {t('knowledge.stop')}
        </Button>
      )}
    </div>
  );
}
