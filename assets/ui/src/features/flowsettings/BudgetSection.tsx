import type { ReactNode } from 'react';
import { useUsage } from '../../api/usage';
import { tokensOf } from '../../core/amounts';
import { isLimit } from '../../core/budget';
import { readBudget, writeBudget } from '../../core/flowconfig';
import { utcDay } from '../../core/paging';
import { t } from '../../i18n';
import { BudgetFields } from '../../ui/BudgetFields';
import { SettingSection } from './SettingSection';
import { useSection, type SectionProps } from './useSection';

/** What the flow may use in a day. */
export function BudgetSection({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readBudget(one.apiConfig),
    (now, value) => ({ apiConfig: writeBudget(now.apiConfig, value) }),
  );
  const { questions, tokens } = form.value;
  const today = useUsage({ from: utcDay(), to: utcDay(), flowId: flow.id }).data;
  // What binds is told beside the budget itself; without one, what was counted of the day.
  const bound = today?.budgets.find(({ kind, id }) => kind === 'flow' && id === flow.id);
  const counted = today?.days.at(-1);
  const used = bound
    ? { questions: bound.usedQuestions, tokens: bound.usedTokens }
    : counted && {
        questions: counted.questions,
        tokens: tokensOf(counted),
      };
  return (
    <SettingSection
      title={t('budget.title')}
      description={t('budget.ofFlow')}
      state={form}
      valid={isLimit(questions) && isLimit(tokens)}
      mayEdit={mayEdit}
    >
      <BudgetFields value={form.value} onChange={form.set} used={used} to={`/usage?flow=${flow.id}`} />
    </SettingSection>
  );
}
