import { useEffect, useState, type ReactNode } from 'react';
import { list } from '../../core/format';
import { underWay, type LiveRun } from '../../core/run';
import { t } from './words';

/** A step that is over sooner is not told of: one would speak of the next while the screen shows the one after. */
const TOLD_AFTER_MS = 1500;

/** Tells whoever does not see the steps of a run which ones are under way. */
export function ToldSteps({ run }: { run: LiveRun }): ReactNode {
  const { names, done } = underWay(run);
  const now = names.length > 0 ? t('run.underWay', { names: list(names), done }) : '';
  const [told, setTold] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setTold(now), TOLD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [now]);
  return (
    <p className="sr-only" aria-live="polite">
      {told}
    </p>
  );
}
