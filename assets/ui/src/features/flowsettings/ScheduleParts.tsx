import { CircleCheck, CircleSlash, CircleX, Clock, Play, Trash2, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useCan } from '../../api/me';
import {
  LOG_ROWS,
  useDeleteTriggerLog,
  useSchedule,
  useSwitchSchedule,
  useTriggerLog,
  type ScheduleStatus,
  type TriggerLog,
} from '../../api/schedules';
import { duration, exactTime } from '../../core/format';
import {
  Badge,
  Banner,
  Button,
  ConfirmDialog,
  IconButton,
  Loaded,
  Pager,
  RelativeTime,
  Switch,
  type BadgeProps,
} from '../../ui';
import { cronWords } from './cronWords';
import css from './FlowSettings.module.css';
import { t } from '../../i18n';

const looks: Record<TriggerLog['status'], { icon: LucideIcon; tone: BadgeProps['tone'] }> = {
  QUEUED: { icon: Clock, tone: 'neutral' },
  RUNNING: { icon: Play, tone: 'info' },
  SUCCEEDED: { icon: CircleCheck, tone: 'success' },
  FAILED: { icon: CircleX, tone: 'danger' },
  SKIPPED: { icon: CircleSlash, tone: 'warning' },
};

export interface ScheduleProps {
  /** The flow. */
  id: string;
  mayEdit: boolean;
}

/** The schedule of Live: its switch, when it comes next, and what became of its last times. Then that of the draft. */
export function ScheduleParts({ id, mayEdit }: ScheduleProps): ReactNode {
  const status = useSchedule(id);
  return (
    <Loaded query={status}>
      {(data) => (
        <>
          <Switched status={data} flow={id} mayEdit={mayEdit} />
          <Drawn status={data} />
          <Log flow={id} mayEdit={mayEdit} />
        </>
      )}
    </Loaded>
  );
}

function Switched(props: { status: ScheduleStatus; flow: string; mayEdit: boolean }): ReactNode {
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
          <Words cron={record.cronExpression} zone={record.timezone} />
          <Upcoming times={record.upcomingRuns} />
        </>
      )}
    </>
  );
}

/** When it comes once the draft is published, where that is not what Live says. */
function Drawn({ status }: { status: ScheduleStatus }): ReactNode {
  const { draft, record, enabled, startsWithPublish } = status;
  if (!draft) return null;
  const isOff = record ? !enabled : startsWithPublish === false;
  return (
    <>
      <p className={css.note}>{t(isOff ? 'flowsettings.scheduleDrawnOff' : 'flowsettings.scheduleDrawn')}</p>
      <Words cron={draft.cronExpression} zone={draft.timezone} />
      <Upcoming times={draft.upcomingRuns} />
    </>
  );
}

const Words = ({ cron, zone }: { cron: string; zone: string }): ReactNode => (
  <p className={css.note}>
    {cronWords(cron) ?? t('flowsettings.scheduleTimes')} <code>{cron}</code> ({zone})
  </p>
);

/** When it comes next, and after that. */
function Upcoming({ times }: { times: readonly string[] }): ReactNode {
  const [next, ...later] = times;
  if (next === undefined) return <p className={css.note}>{t('flowsettings.scheduleNever')}</p>;
  return (
    <>
      <p className={css.note}>{t('flowsettings.scheduleNext', { time: exactTime(next) })}</p>
      {later.length > 0 && (
        <ul className={css.upcoming} aria-label={t('flowsettings.scheduleLater')}>
          {later.map((time) => (
            <li key={time} className={css.note}>
              {exactTime(time)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Log({ flow, mayEdit }: { flow: string; mayEdit: boolean }): ReactNode {
  const [page, setPage] = useState(1);
  const log = useTriggerLog(flow, page).data;
  const deleting = useDeleteTriggerLog(flow);
  const [asking, setAsking] = useState<readonly string[]>([]);
  const mayDeleteRuns = useCan()('executions:delete');
  const rows = log?.data ?? [];
  if (rows.length === 0 && page === 1) return null;
  const mayDelete = (row: TriggerLog): boolean =>
    mayEdit && row.status !== 'RUNNING' && (mayDeleteRuns || !row.executionId);
  const shown = rows.filter(mayDelete).map(({ id }) => id);
  return (
    <div className={css.refused}>
      <div className={css.logHead}>
        <h3>{t('flowsettings.scheduleLog')}</h3>
        {shown.length > 1 && (
          <Button size="compact" variant="ghost" icon={Trash2} onClick={() => setAsking(shown)}>
            {t('flowsettings.logDeleteShown')}
          </Button>
        )}
      </div>
      <ul>
        {rows.map((row) => (
          <LogRow key={row.id} row={row} onDelete={mayDelete(row) ? () => setAsking([row.id]) : null} />
        ))}
      </ul>
      {log && log.total > LOG_ROWS && (
        <Pager page={page} limit={LOG_ROWS} total={log.total} onPage={setPage} />
      )}
      <ConfirmDialog
        open={asking.length > 0}
        title={t('flowsettings.logDeleteSure', { count: asking.length })}
        confirm={t('flowsettings.logDelete')}
        busy={deleting.isPending}
        error={deleting.error?.message ?? null}
        onClose={() => {
          deleting.reset();
          setAsking([]);
        }}
        onConfirm={() =>
          deleting.mutate([...asking], {
            onSuccess: () => {
              setAsking([]);
              setPage(1);
            },
          })
        }
      >
        {t('flowsettings.logDeleteText')}
      </ConfirmDialog>
    </div>
  );
}

function LogRow({ row, onDelete }: { row: TriggerLog; onDelete: (() => void) | null }): ReactNode {
  const { icon, tone } = looks[row.status];
  const more = details(row);
  return (
    <li className={css.refusedRow}>
      <span className={css.refusedOrigin}>
        {row.executionId ? (
          <Link href={`/executions/${row.executionId}`}>
            <RelativeTime date={row.scheduledAt} />
          </Link>
        ) : (
          <RelativeTime date={row.scheduledAt} />
        )}
        {more && <span className={css.note}>{more}</span>}
      </span>
      <span className={css.logEnd}>
        <Badge icon={icon} tone={tone}>
          {t(`flowsettings.schedule${row.status}`)}
        </Badge>
        {onDelete && (
          <IconButton
            size="compact"
            icon={Trash2}
            label={t('flowsettings.logDeleteOf', { time: exactTime(row.scheduledAt) })}
            onClick={onDelete}
          />
        )}
      </span>
    </li>
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
