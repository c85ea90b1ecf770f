import type { ReactNode } from 'react';
import type { FillProgress } from '../../api/stores';
import { number } from '../../core/format';
import type { Key } from '../../i18n';
import { JobLine as Line } from '../../ui';
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
    <Line
      words={words}
      more={onStop ? t('knowledge.leaving') : t('knowledge.runs')}
      of={total === null ? undefined : { done, total }}
      stop={onStop && { label: t('knowledge.stop'), onClick: onStop }}
    />
  );
}
