import { useQueryClient } from '@tanstack/react-query';
import { use, useState } from 'react';
import type { CheckSetup } from '../../api/checks';
import { firstPlan, type CheckPlan } from './plan';
import { Source } from './words';

/** What is put together for the next check. What was typed stays while the dialog is closed. */
export function usePlan(flow: string, setup: CheckSetup): [CheckPlan, (plan: CheckPlan) => void] {
  const client = useQueryClient();
  const queryKey = ['check', flow, use(Source), 'plan'];
  const [plan, setPlan] = useState(() => client.getQueryData<CheckPlan>(queryKey));
  const put = (next: CheckPlan): void => {
    // Both: a row that is added has to be there when the next key arrives.
    setPlan(next);
    client.setQueryDefaults(queryKey, { gcTime: Infinity });
    client.setQueryData(queryKey, next);
  };
  return [plan ?? firstPlan(setup), put];
}
