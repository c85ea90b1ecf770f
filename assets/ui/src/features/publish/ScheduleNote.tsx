import type { ReactNode } from 'react';
import { useSchedule } from '../../api/schedules';
import { startsByClock } from '../../core/start';
import { Banner } from '../../ui';
import { t } from './words';

/** Says that a Publish switches a schedule on: from then on the flow runs without anybody asking. */
export function ScheduleNote({ flow, draft }: { flow: string; draft: string }): ReactNode {
  const byClock = startsByClock(draft);
  const status = useSchedule(flow, byClock).data;
  if (!byClock || !status?.startsWithPublish) return null;
  return (
    <Banner tone="warning" title={t('publish.schedule')}>
      {t('publish.scheduleText')}
    </Banner>
  );
}
