import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { UsageReport } from '../../api/usage';
import { spanOfUtc } from '../../core/paging';
import { numberColumn, rowLink, Section, Table, useAddress } from '../../ui';
import { amountColumns } from './Days';
import css from './Usage.module.css';
import { flowName, t } from './words';

interface Of {
  report: UsageReport;
}

/** Each flow, which leads to its conversations of these days. */
export function FlowTable({ report }: Of): ReactNode {
  const { flows, from, to } = report;
  return (
    <Section title={t('usage.flows')}>
      {flows.length === 0 ? (
        <p className="muted">{t('usage.none')}</p>
      ) : (
        <Table
          caption={t('usage.flows')}
          rows={flows}
          rowKey={({ id }) => id}
          columns={[
            {
              id: 'flow',
              header: t('usage.flow'),
              cell: ({ id, name, deleted }) =>
                deleted ? (
                  <span className="muted">{flowName(id, name)}</span>
                ) : (
                  <Link href={`/conversations?flow=${id}&${spanOfUtc(from, to)}`} className={rowLink}>
                    {name}
                  </Link>
                ),
            },
            ...amountColumns(),
          ]}
        />
      )}
    </Section>
  );
}

/** Each key; one that is chosen narrows the whole screen to what was asked with it. */
export function KeyTable({ report }: Of): ReactNode {
  const { to } = useAddress();
  return (
    <Section title={t('usage.keys')}>
      {report.keys.length === 0 ? (
        <p className="muted">{t('usage.none')}</p>
      ) : (
        <Table
          caption={t('usage.keys')}
          rows={report.keys}
          rowKey={({ id }) => id ?? 'none'}
          columns={[
            {
              id: 'key',
              header: t('usage.key'),
              cell: ({ id, name }) =>
                id === null ? (
                  t('usage.account')
                ) : (
                  <Link href={to({ key: id })} className={rowLink}>
                    {name ?? t('usage.unnamed')}
                  </Link>
                ),
            },
            ...amountColumns(),
          ]}
        />
      )}
    </Section>
  );
}

/** Each model, by the name that the provider knows. */
export function ModelTable({ report }: Of): ReactNode {
  const { to } = useAddress();
  return (
    <Section title={t('usage.models')}>
      {report.models.length === 0 ? (
        <p className="muted">{t('usage.noModels')}</p>
      ) : (
        <Table
          caption={t('usage.models')}
          rows={report.models}
          rowKey={({ name }) => name}
          columns={[
            {
              id: 'model',
              header: t('usage.model'),
              cell: ({ name }) => (
                <Link href={to({ model: name })} className={rowLink}>
                  <span className={css.name}>{name}</span>
                </Link>
              ),
            },
            numberColumn('calls', t('usage.calls')),
            numberColumn('promptTokens', t('usage.promptTokens')),
            numberColumn('completionTokens', t('usage.completionTokens'), true),
          ]}
        />
      )}
    </Section>
  );
}
