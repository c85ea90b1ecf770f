import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { UsageReport } from '../../api/usage';
import { beginOfUtc, utcDay } from '../../core/paging';
import { Loaded, numberColumn, rowLink, Section, Table, type QueryLike } from '../../ui';
import css from './Home.module.css';
import { most } from './overview';
import { t } from './words';

const ROWS = 6;

export interface MostProps {
  usage: QueryLike<UsageReport>;
  of: 'questions' | 'failed';
}

/** The flows that were asked most, or failed most: as bars and as numbers. */
export function Most({ usage, of }: MostProps): ReactNode {
  const failing = of === 'failed';
  const title = t(failing ? 'home.failing' : 'home.busiest');
  const more = `since=${beginOfUtc(utcDay(29))}${failing ? '&failed=true' : ''}`;
  return (
    <Section title={title} description={t('home.days', { count: 30 })}>
      <Loaded query={usage}>
        {({ flows }) => {
          const rows = most(flows, of, ROWS);
          if (rows.length === 0)
            return <p className="muted">{t(failing ? 'home.nothingFailed' : 'home.nobodyAsked')}</p>;
          return (
            <Table
              caption={title}
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: 'flow',
                  header: t('kit.name'),
                  cell: ({ id, name, part }) => (
                    <span className={css.bar}>
                      <Link href={`/conversations?flow=${id}&${more}`} className={rowLink}>
                        {name}
                      </Link>
                      <progress className="share" value={part} max={1} aria-hidden tabIndex={-1} />
                    </span>
                  ),
                },
                numberColumn('questions', t('home.questions')),
                numberColumn('failed', t('home.failedQuestions')),
              ]}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
