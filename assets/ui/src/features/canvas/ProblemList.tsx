import { Trash2 } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import type { Key } from '../../i18n';
import { IconButton, scrollRegion } from '../../ui';
import css from './Editor.module.css';
import { levels, type LeveledProblem } from './levels';
import type { ProblemLevel } from './slots';
import { t } from './words';

export interface ProblemListProps {
  problems: readonly LeveledProblem[];
  onGo: (id: string) => void;
  /** Takes a connection away that leads nowhere; null where nothing is changed. */
  onRemove: ((edge: string, node: string) => void) | null;
}

const titles: readonly [ProblemLevel, Key][] = [
  ['error', 'canvas.blocking'],
  ['warning', 'canvas.unfinished'],
  ['hint', 'canvas.unused'],
];

/** What is wrong with the canvas: what keeps it from answering, what looks unfinished, what is not in use. */
export function ProblemList({ problems, onGo, onRemove }: ProblemListProps): ReactNode {
  const head = useRef<HTMLHeadingElement>(null);
  const groups = titles.map(([level, title]) => ({
    title,
    found: problems.filter((one) => one.level === level),
  }));
  return (
    <>
      <div className={css.listHead}>
        <h2 ref={head} tabIndex={-1}>
          {t('canvas.problemList')}
        </h2>
      </div>
      <div ref={scrollRegion} className={css.levels}>
        {groups
          .filter(({ found }) => found.length > 0)
          .map(({ title, found }) => (
            <section key={title} aria-label={t(title)}>
              <h3>{t(title)}</h3>
              <ul>
                {found.flatMap((problem) => [
                  ...problem.issues.map((issue) => (
                    <li key={`${problem.id} ${issue}`}>
                      <Line problem={problem} issue={issue} onGo={onGo} />
                    </li>
                  )),
                  ...problem.lost.map(({ edge, text }) => (
                    <li key={edge} className={css.lost}>
                      <Line problem={problem} issue={text} onGo={onGo} />
                      {onRemove && (
                        <IconButton
                          size="compact"
                          icon={Trash2}
                          label={t('canvas.lost.remove')}
                          onClick={() => {
                            // The button goes with the connection.
                            head.current?.focus();
                            onRemove(edge, problem.id);
                          }}
                        />
                      )}
                    </li>
                  )),
                ])}
              </ul>
            </section>
          ))}
      </div>
    </>
  );
}

interface LineProps {
  problem: LeveledProblem;
  issue: string;
  onGo: (id: string) => void;
}

function Line({ problem, issue, onGo }: LineProps): ReactNode {
  const { icon: Icon, tone } = levels[problem.level];
  const icon = <Icon size={14} aria-hidden className={css[tone]} />;
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
