import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { number } from '../core/format';
import { Dash } from './Dash';
import css from './Facts.module.css';

export interface Fact {
  label: string;
  /** Undefined while it is not known yet, null where there is nothing to count. */
  value: number | null | undefined;
  /** Writes the value; by default it is a count. */
  write?: (value: number) => string;
  /** There are more than were counted. */
  more?: boolean;
  /** The list that it counts, where there is one. */
  to?: string;
}

/** Numbers that lead to what they count. */
export function Facts({ facts, label }: { facts: readonly Fact[]; label?: string }): ReactNode {
  return (
    <ul className={css.facts} aria-label={label}>
      {facts.map((fact) => (
        <li key={fact.label}>
          {fact.to ? (
            <Link href={fact.to} className={css.fact}>
              <Words {...fact} />
            </Link>
          ) : (
            <div className={css.fact}>
              <Words {...fact} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Words({ label, value, write = number, more }: Fact): ReactNode {
  const shown = value === null ? <Dash /> : value === undefined ? '…' : write(value);
  return (
    <>
      <span className={css.value}>
        {shown}
        {more && '+'}
      </span>
      <span className={css.label}>{label}</span>
    </>
  );
}
