import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AuditRow } from '../../api/audit';
import { briefTime, exactTime } from '../../core/format';
import type { Key } from '../../i18n';
import { audit } from '../../i18n/en/audit';
import { Badge, Table, type Column } from '../../ui';
import css from './Audit.module.css';
import { t } from './words';

const known = (key: string): key is Key & keyof typeof audit => key in audit;

/** Actions this version does not know keep their own name. */
function did(action: string): string {
  const key = `audit.do.${action}`;
  return known(key) ? t(key) : action;
}

function who({ actor }: AuditRow): string {
  if (actor.kind === 'operator') return t('audit.operator');
  if (actor.kind === 'key') return t('audit.key', { name: actor.name ?? '' });
  return actor.name ?? t('audit.nobody');
}

export function AuditTable({ rows }: { rows: readonly AuditRow[] }): ReactNode {
  const columns: Column<AuditRow>[] = [
    {
      id: 'what',
      header: t('audit.what'),
      cell: (row) => (
        <span className={css.what}>
          <span className={css.line}>
            {did(row.action)}
            {row.target?.name && row.target.id !== row.actor.id && (
              <span className={css.target}>{row.target.name}</span>
            )}
            {row.outcome === 'refused' && (
              <Badge tone="danger" icon={CircleX}>
                {t('audit.refused')}
              </Badge>
            )}
          </span>
          {row.reason && <span className="note">{row.reason}</span>}
        </span>
      ),
    },
    { id: 'who', header: t('audit.person'), cell: who },
    {
      id: 'address',
      header: t('audit.address'),
      wideOnly: true,
      cell: (row) => <span className="muted">{row.address}</span>,
    },
    {
      id: 'when',
      header: t('audit.when'),
      align: 'end',
      cell: (row) => (
        <time dateTime={row.date} title={exactTime(row.date)} className={css.when}>
          {briefTime(row.date)}
        </time>
      ),
    },
  ];
  return <Table caption={t('audit.title')} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}
