import { FlaskConical, Globe, Radio, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Execution } from '../../api/executions';
import { briefTime, duration, list } from '../../core/format';
import { tookOf } from '../../core/run';
import { Badge, Checkbox, RelativeTime, RowMenu, rowLink, Table, type Column } from '../../ui';
import { Dash } from '../../ui/Dash';
import { RunStateBadge } from '../../ui/run/RunStateBadge';
import css from './Executions.module.css';
import { t } from './words';

export interface ExecutionTableProps {
  rows: readonly Execution[];
  chosen: ReadonlySet<string>;
  /** Null for who may not do anything with several at once. */
  onChoose: ((chosen: ReadonlySet<string>) => void) | null;
  onDelete: ((id: string) => void) | null;
}

export const flowName = ({ agentflow }: Pick<Execution, 'agentflow'>): string =>
  agentflow?.name ?? t('executions.unknownFlow');

/** Whether it ran in the test chat, or for callers. */
export function SourceBadge({ isTest }: { isTest: boolean }): ReactNode {
  return (
    <Badge icon={isTest ? FlaskConical : Radio}>{t(isTest ? 'executions.test' : 'executions.live')}</Badge>
  );
}

export function ExecutionTable({ rows, chosen, onChoose, onDelete }: ExecutionTableProps): ReactNode {
  const toggle = (id: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    onChoose?.(next);
  };
  const columns: Column<Execution>[] = [
    {
      id: 'flow',
      header: t('executions.flow'),
      cell: (row) => (
        <span className={css.pick}>
          {onChoose && (
            <span className={css.box}>
              <Checkbox
                hideLabel
                label={t('executions.choose', { name: flowName(row), when: briefTime(row.createdDate) })}
                checked={chosen.has(row.id)}
                onChange={(on) => toggle(row.id, on)}
              />
            </span>
          )}
          <span className={css.words}>
            <Link href={`/executions/${row.id}`} className={rowLink}>
              {flowName(row)}
            </Link>
            {row.error && <span className={css.error}>{row.error}</span>}
            {row.state === 'STOPPED' && row.pauses.length > 0 && (
              <span className="note">
                {t('executions.waits', { names: list(row.pauses.map((one) => one.nodeLabel)) })}
              </span>
            )}
          </span>
        </span>
      ),
    },
    { id: 'state', header: t('executions.state'), cell: (row) => <RunStateBadge state={row.state} /> },
    {
      id: 'source',
      header: t('executions.whatRan'),
      wideOnly: true,
      cell: (row) => (
        <span className="inline">
          <SourceBadge isTest={row.isTest} />
          {row.isPublic && <Badge icon={Globe}>{t('executions.publicBadge')}</Badge>}
        </span>
      ),
    },
    {
      id: 'session',
      header: t('executions.session'),
      wideOnly: true,
      cell: (row) => (
        <code className={css.session} title={row.sessionId}>
          {row.sessionId}
        </code>
      ),
    },
    {
      id: 'took',
      header: t('executions.took'),
      align: 'end',
      wideOnly: true,
      cell: (row) => {
        const ms = tookOf(row);
        return ms === null ? <Dash /> : duration(ms);
      },
    },
    {
      id: 'began',
      header: t('executions.began'),
      align: 'end',
      cell: (row) => <RelativeTime date={row.createdDate} className={css.when} />,
    },
  ];
  if (onDelete)
    columns.push({
      id: 'tools',
      header: '',
      cell: (row) => (
        <RowMenu
          name={`${flowName(row)}, ${briefTime(row.createdDate)}`}
          items={[
            {
              label: t('executions.delete'),
              icon: Trash2,
              danger: true,
              disabled: row.state === 'INPROGRESS',
              onSelect: () => onDelete(row.id),
            },
          ]}
        />
      ),
    });
  return (
    <Table
      caption={t('executions.title')}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.id}
      selected={(row) => chosen.has(row.id)}
    />
  );
}
