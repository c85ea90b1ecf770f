import { useEffect, useState, type ReactNode } from 'react';
import { serviceNow } from '../core/clock';
import { exactTime, relativeTime } from '../core/format';

/** "5 minutes ago", exact on hover, kept current. */
export function RelativeTime({ date, className }: { date: string; className?: string }): ReactNode {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={date} title={exactTime(date)} className={className}>
      {relativeTime(date, now)}
    </time>
  );
}
