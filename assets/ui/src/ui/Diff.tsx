import { useMemo, type ReactNode } from 'react';
import { diffText, type DiffLine, type DiffPart } from '../core/diff';
import { t } from '../i18n';
import css from './Diff.module.css';

export interface DiffProps {
  before: string;
  after: string;
  /** What is compared, for screen readers. */
  label: string;
}

/** A text before and after, line by line; words inside changed lines are marked. */
export function Diff({ before, after, label }: DiffProps): ReactNode {
  const lines = useMemo(() => diffText(before, after), [before, after]);
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.diff} role="group" aria-label={label} tabIndex={0}>
      {lines.map((line, at) => (
        <Line key={at} line={line} />
      ))}
    </div>
  );
}

const signs = { same: ' ', added: '+', removed: '−', gap: '' };

function Line({ line }: { line: DiffLine }): ReactNode {
  if (line.kind === 'gap')
    return <div className={css.gap}>{t('kit.unchangedLines', { count: line.count })}</div>;
  const Tag = line.kind === 'added' ? 'ins' : line.kind === 'removed' ? 'del' : 'span';
  return (
    <div className={css[line.kind]}>
      <span className={css.sign} aria-hidden>
        {signs[line.kind]}
      </span>
      <Tag className={css.text}>
        <Marked parts={line.parts} />
      </Tag>
    </div>
  );
}

export interface MarkedProps {
  parts: readonly DiffPart[];
  /** Read aloud around what is marked, where nothing else tells it. */
  begin?: string;
  end?: string;
}

/** A text with what changed in it marked. */
export function Marked({ parts, begin, end }: MarkedProps): ReactNode {
  return parts.map(({ text, marked }, at) =>
    marked ? (
      <mark key={at}>
        {begin && <span className="sr-only">{begin} </span>}
        {text}
        {end && <span className="sr-only">{end}</span>}
      </mark>
    ) : (
      <span key={at}>{text}</span>
    ),
  );
}
