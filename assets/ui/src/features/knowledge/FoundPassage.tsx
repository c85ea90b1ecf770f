import type { ReactNode } from 'react';
import type { Found } from '../../api/stores';
import { decimal } from '../../core/format';
import css from './Knowledge.module.css';
import { Metadata } from './Passages';
import { t } from './words';

interface FoundPassageProps {
  found: Found;
  /** Why what was done with it last failed. */
  fault?: ReactNode;
  /** What can be done with it. */
  children?: ReactNode;
}

/** A passage that was found: how near it is, its words, and where it is from. */
export function FoundPassage({ found, fault, children }: FoundPassageProps): ReactNode {
  return (
    <li className={css.passage}>
      <div className={css.documentHead}>
        <span className={css.name}>
          <strong title={t('knowledge.likeness')}>
            {t('knowledge.distance', { score: decimal(found.score, 3) })}
          </strong>
        </span>
        {children}
      </div>
      {fault}
      <p className={css.words}>{found.pageContent}</p>
      <Metadata of={found.metadata} />
    </li>
  );
}
