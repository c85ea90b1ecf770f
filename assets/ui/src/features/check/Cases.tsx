import type { ReactNode } from 'react';
import {
  useChangeKept,
  type Check,
  type CheckCase,
  type CheckSetup,
  type KeptQuestion,
} from '../../api/checks';
import { CaseView } from './CaseView';
import css from './Check.module.css';
import { keeping } from './kept';
import { keptAs, originOf } from './plan';
import { Refusal } from './Refusal';

export interface CasesProps {
  flow: string;
  setup: CheckSetup;
  kept: readonly KeptQuestion[];
  check: Check;
  cases: readonly CheckCase[];
  goToNode: (id: string) => void;
  /** Shows the kept questions. */
  onKept: () => void;
}

/** Questions with their answers, each of which can be kept. */
export function Cases({ flow, setup, kept, check, cases, goToNode, onKept }: CasesProps): ReactNode {
  const keep = useChangeKept(flow);
  return (
    <>
      <Refusal error={keep.error} />
      <ul className={css.cases}>
        {cases.map((one) => (
          <li key={one.question}>
            <CaseView
              one={one}
              liveEmpty={check.liveEmpty}
              isKept={keptAs(kept, one.question) !== undefined}
              onKeep={() => keep.mutate(keeping(one.question, originOf(setup, one.question)))}
              onKept={onKept}
              goToNode={goToNode}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
