import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CardProblem } from '../../api/canvas';
import { t } from '../../i18n';
import { scrollRegion } from '../../ui';
import css from './Editor.module.css';

export interface ProblemListProps {
  problems: readonly CardProblem[];
  onGo: (id: string) => void;
}

/** What keeps the stored canvas from working, each with the way to its node. */
export function ProblemList({ problems, onGo }: ProblemListProps): ReactNode {
  return (
    <>
      <div className={css.listHead}>
        <h2>{t('canvas.problemList')}</h2>
      </div>
      <ul ref={scrollRegion} className={css.list}>
        {problems.flatMap((problem) =>
          problem.issues.map((issue) => (
            <li key={`${problem.id} ${issue}`}>
              {problem.id ? (
                <button type="button" className={css.entry} onClick={() => onGo(problem.id)}>
                  <TriangleAlert size={14} aria-hidden className={css.warn} />
                  <span>
                    {issue}
                    <small>{t('canvas.goTo', { name: problem.label })}</small>
                  </span>
                </button>
              ) : (
                <div className={css.entry}>
                  <TriangleAlert size={14} aria-hidden className={css.warn} />
                  <span>{issue}</span>
                </div>
              )}
            </li>
          )),
        )}
      </ul>
    </>
  );
}
