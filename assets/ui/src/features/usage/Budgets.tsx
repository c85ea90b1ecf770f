import { CircleCheck, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { BudgetUse } from '../../api/usage';
import { briefTime, number } from '../../core/format';
import { Badge, rowLink, Section, Table } from '../../ui';
import { Dash } from '../../ui/Dash';
import css from './Usage.module.css';
import { byNeed } from './view';
import { t } from './words';

const whose = {
  flow: 'usage.budgetOfFlow',
  key: 'usage.budgetOfKey',
  workspace: 'usage.budgetOfWorkspace',
} as const;

/** The screen on which a budget is set. */
const whereSet: Record<BudgetUse['kind'], (id: string, name: string) => string> = {
  flow: (id) => `/flows/${id}/settings?section=access`,
  key: (_id, name) => `/api-keys?q=${encodeURIComponent(name)}`,
  workspace: (_id, name) => `/workspaces?q=${encodeURIComponent(name)}`,
};

/** Where budgets bind today: who refuses, until when, and what is left of the others. */
export function Budgets({ budgets }: { budgets: readonly BudgetUse[] }): ReactNode {
  return (
    <Section title={t('usage.budgets')} description={t('usage.budgetsText')}>
      {budgets.length === 0 ? (
        <p className="muted">{t('usage.noBudgets')}</p>
      ) : (
        <Table
          caption={t('usage.budgets')}
          rows={byNeed(budgets)}
          rowKey={({ kind, id }) => `${kind} ${id}`}
          columns={[
            {
              id: 'whose',
              header: t('kit.name'),
              cell: ({ kind, id, name }) => (
                <span className={css.name}>
                  <Link href={whereSet[kind](id, name)} className={rowLink}>
                    {name}
                  </Link>
                  <span className="note">{t(whose[kind])}</span>
                </span>
              ),
            },
            {
              id: 'state',
              header: t('usage.state'),
              cell: ({ opensAgainAt }) =>
                opensAgainAt !== null ? (
                  <Badge tone="danger" icon={OctagonX}>
                    {t('usage.refusing', { time: briefTime(opensAgainAt) })}
                  </Badge>
                ) : (
                  <Badge tone="success" icon={CircleCheck}>
                    {t('usage.open')}
                  </Badge>
                ),
            },
            {
              id: 'questions',
              header: t('usage.questions'),
              cell: ({ usedQuestions, questionsPerDay }) => (
                <Left used={usedQuestions} all={questionsPerDay} />
              ),
            },
            {
              id: 'tokens',
              header: t('usage.tokens'),
              cell: ({ usedTokens, tokensPerDay }) => <Left used={usedTokens} all={tokensPerDay} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

/** What remains of one of the two amounts, in words and as a bar. */
function Left({ used, all }: { used: number; all: number | null }): ReactNode {
  if (all === null) return <Dash />;
  return (
    <span className={css.used}>
      {t('usage.left', { left: number(Math.max(0, all - used)), all: number(all) })}
      <progress className="share" value={Math.min(used, all)} max={all} aria-hidden tabIndex={-1} />
    </span>
  );
}
