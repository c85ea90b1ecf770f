import { useSyncExternalStore, type ReactNode } from 'react';
import { clockDifference, subscribeClock } from '../core/clock';
import { interval } from '../core/format';
import { t } from '../i18n';

/** Says where times stand that the clock of this computer is not that of the server; nothing while they agree. */
export function ClockNote(): ReactNode {
  const minutes = useSyncExternalStore(subscribeClock, clockDifference);
  if (minutes === 0) return null;
  const time = interval(Math.abs(minutes) * 60);
  return <p className="note">{t(minutes > 0 ? 'kit.clockBehind' : 'kit.clockAhead', { time })}</p>;
}
