import type { ReactNode } from 'react';
import { t } from '../i18n';
import css from './PermissionList.module.css';
import { Popover } from './Popover';
import { scrollRegion } from './scrollRegion';
import used from './UsedBy.module.css';

/** The flows that use something: how many, and some of them. */
export interface FlowUses {
  count: number;
  flows: readonly { id: string; name: string }[];
}

export interface UsedByProps extends FlowUses {
  /** What is used. */
  name: string;
}

/** How many flows use something, with their names on demand. */
export function UsedBy({ name, count, flows }: UsedByProps): ReactNode {
  if (count === 0) return <span className="muted">{t('kit.unused')}</span>;
  return (
    <Popover
      width={280}
      label={t('kit.usedByOf', { name })}
      trigger={
        <button type="button" className={css.opener}>
          {t('kit.flowCount', { count })}
          <span className="sr-only">, {t('kit.usedByOf', { name })}</span>
        </button>
      }
    >
      <FlowNames count={count} flows={flows} />
    </Popover>
  );
}

/** Names of flows, and how many more there are. */
export function FlowNames({ count, flows }: FlowUses): ReactNode {
  return (
    <ul ref={scrollRegion} className={used.list}>
      {flows.map((flow) => (
        <li key={flow.id}>{flow.name}</li>
      ))}
      {count > flows.length && (
        <li className="muted">{t('kit.flowsMore', { count: count - flows.length })}</li>
      )}
    </ul>
  );
}
