import { CircleCheck, CircleSlash, CircleX, Clock, Play, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  useSchedule,
  useSwitchSchedule,
  useTriggerLog,
  type ScheduleStatus,
  type TriggerLog,
} from '../../api/schedules';
import { duration, exactTime } from '../../core/format';
import { t } from '../../i18n';
import { Badge, Banner, Loaded, RelativeTime, Section, Switch, type BadgeProps } from '../../ui';
import css from './FlowSettings.module.css';
import type { SectionProps } from './useSection';

const looks: Record<TriggerLog['status'], { icon: LucideIcon; tone: BadgeProps['tone'] }> = {
  QUEUED: { icon: Clock, tone: 'neutral' },
  RUNNING: { icon: Play, tone: 'info' },
  SUCCEEDED: { icon: CircleCheck, tone: 'success' },
  FAILED: { icon: CircleX, tone: 'danger' },
  SKIPPED: { icon: CircleSlash, tone: 'warning' },
};

/** The schedule of Live: its switch, when it comes next, and what became of its last times. */
export function ScheduleSection({ flow, mayEdit }: SectionProps): ReactNode {
  const status = useSchedule(flow.id);
  return (
    <Section title={t('flowsettings.schedule')} description={t('flowsettings.scheduleText')}>
      <Loaded query={status}>
        {(data) => (
          <>
            <Times status={data} flow={flow.id} mayEdit={mayEdit} />
            <Log flow={flow.id} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Times(props: { status: ScheduleStatus; flow: string; mayEdit: boolean }): ReactNode {
  const { status, flow, mayEdit } = props;
  const saving = useSwitchSchedule(flow);
  const { record, reason } = status;
  if (!record && !status.canEnable) return <Banner>{reason ?? t('flowsettings.scheduleNone')}</Banner>;
  const on = saving.isPending ? saving.variables : status.enabled;
  return (
    <>
      <Switch
        checked={on}
        onChange={(next) => saving.mutate(next)}
        label={t('flowsettings.scheduleSwitch')}
        disabled={!mayEdit || saving.isPending || (!on && !status.canEnable)}
      />
      {reason && <Banner tone="warning">{reason}</Banner>}
      {saving.error && (
        <Banner tone="danger" title={t('flowsettings.notSaved')}>
          {saving.error.message}
        </Banner>
      )}
      {record && (
        <>
          <p className={css.note}>
            {t('flowsettings.scheduleTimes')} <code>{record.cronExpression}</code> ({record.timezone})
          </p>
          <p className={css.note}>
            {record.nextRunAt
              ? t('flowsettings.scheduleNext', { time: exactTime(record.nextRunAt) })
              : t('flowsettings.scheduleNever')}
          </p>
        </>
      )}
    </>
  );
}

function Log({ flow }: { flow: string }): ReactNode {
  const rows = useTriggerLog(flow).data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <div className={css.refused}>
      <h3>{t('flowsettings.scheduleLog')}</h3>
      <ul>
        {rows.map((row) => {
          const { icon, tone } = looks[row.status];
          return (
            <li key={row.id} className={css.refusedRow}>
              <span className={css.refusedOrigin}>
                <RelativeTime date={row.scheduledAt} />
                <span className={css.note}>{details(row)}</span>
              </span>
              <Badge icon={icon} tone={tone}>
                {t(`flowsettings.schedule${row.status}`)}
              </Badge>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** What is worth knowing of a row beside its state. */
function details(row: TriggerLog): string {
  const parts = [
    row.count && row.count > 1 ? t('flowsettings.scheduleCount', { count: row.count }) : '',
    row.lateBy ? t('flowsettings.scheduleLate', { time: duration(row.lateBy * 1000) }) : '',
    typeof row.elapsedTimeMs === 'number' ? duration(row.elapsedTimeMs) : '',
    row.error ?? '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
