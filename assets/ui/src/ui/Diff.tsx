import { useMemo, type ReactNode } from 'react';
import { diffText, type DiffLine } from '../core/diff';
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
        {line.parts.map((part, at) =>
          part.marked ? <mark key={at}>{part.text}</mark> : <span key={at}>{part.text}</span>,
        )}
      </Tag>
    </div>
  );
}
