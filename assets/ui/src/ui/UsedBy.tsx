import type { ReactNode } from 'react';
import { t } from '../i18n';
import css from './PermissionList.module.css';
import { Popover } from './Popover';
import { scrollRegion } from './scrollRegion';
import used from './UsedBy.module.css';

/** The flows that use something: how many, how many of those by their draft alone, and some of them. */
export interface FlowUses {
  count: number;
  drafts: number;
  flows: readonly { id: string; name: string; draft: boolean }[];
}

export interface UsedByProps extends FlowUses {
  /** What is used. */
  name: string;
}

/** How many flows use something, with their names on demand. */
export function UsedBy({ name, count, drafts, flows }: UsedByProps): ReactNode {
  if (count === 0) return <span className="muted">{t('kit.unused')}</span>;
  return (
    <Popover
      width={280}
      label={t('kit.usedByOf', { name })}
      trigger={
        <button type="button" className={css.opener}>
          {[
            count > drafts && t('kit.flowCount', { count: count - drafts }),
            drafts > 0 && t('kit.draftCount', { count: drafts }),
          ]
            .filter(Boolean)
            .join(', ')}
          <span className="sr-only">, {t('kit.usedByOf', { name })}</span>
        </button>
      }
    >
      <FlowNames count={count} flows={flows} />
    </Popover>
  );
}

/** Says of a flow that its draft alone is meant. */
export const DraftMark = (): ReactNode => <span className="note"> {t('kit.draftAlone')}</span>;

/** Names of flows, and how many more there are. */
export function FlowNames({ count, flows }: Pick<FlowUses, 'count' | 'flows'>): ReactNode {
  return (
    <ul ref={scrollRegion} className={used.list}>
      {flows.map((flow) => (
        <li key={flow.id}>
          {flow.name}
          {flow.draft && <DraftMark />}
        </li>
      ))}
      {count > flows.length && (
        <li className="muted">{t('kit.flowsMore', { count: count - flows.length })}</li>
      )}
    </ul>
  );
}
