import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CardProblem } from '../../api/canvas';
import { t, type Key } from '../../i18n';
import { scrollRegion } from '../../ui';
import css from './Editor.module.css';

export interface ProblemListProps {
  problems: readonly CardProblem[];
  onGo: (id: string) => void;
}

/** What is wrong with the canvas: first what keeps it from answering, then what only looks unfinished. */
export function ProblemList({ problems, onGo }: ProblemListProps): ReactNode {
  const levels: { title: Key; found: CardProblem[] }[] = [
    { title: 'canvas.blocking', found: problems.filter((one) => one.blocks) },
    { title: 'canvas.unfinished', found: problems.filter((one) => !one.blocks) },
  ];
  return (
    <>
      <div className={css.listHead}>
        <h2>{t('canvas.problemList')}</h2>
      </div>
      <div ref={scrollRegion} className={css.levels}>
        {levels
          .filter(({ found }) => found.length > 0)
          .map(({ title, found }) => (
            <section key={title} aria-label={t(title)}>
              <h3>{t(title)}</h3>
              <ul>
                {found.flatMap((problem) =>
                  problem.issues.map((issue) => (
                    <li key={`${problem.id} ${issue}`}>
                      <Line problem={problem} issue={issue} onGo={onGo} />
                    </li>
                  )),
                )}
              </ul>
            </section>
          ))}
      </div>
    </>
  );
}

interface LineProps {
  problem: CardProblem;
  issue: string;
  onGo: (id: string) => void;
}

function Line({ problem, issue, onGo }: LineProps): ReactNode {
  const icon = problem.blocks ? (
    <CircleAlert size={14} aria-hidden className={css.stop} />
  ) : (
    <TriangleAlert size={14} aria-hidden className={css.warn} />
  );
  if (!problem.id)
    return (
      <div className={css.entry}>
        {icon}
        <span>{issue}</span>
      </div>
    );
  return (
    <button type="button" className={css.entry} onClick={() => onGo(problem.id)}>
      {icon}
      <span>
        {issue}
        <small>{t('canvas.goTo', { name: problem.label })}</small>
      </span>
    </button>
  );
}
