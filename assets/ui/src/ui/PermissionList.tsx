import type { ReactNode } from 'react';
import { list as listed } from '../core/format';
import { byResource, presetIn, resourcesOf, type Catalogue } from '../core/permissions';
import { t } from '../i18n';
import { actionName, resourceName } from './permissionNames';
import css from './PermissionList.module.css';
import { Popover } from './Popover';
import { scrollRegion } from './scrollRegion';

export interface PermissionListProps {
  permissions: readonly string[];
  /** Whose they are. */
  name: string;
  /** To name a preset when it is one. */
  catalogue?: Catalogue | undefined;
}

/** What somebody or something may do: in a word or a number, whole on demand. */
export function PermissionList({ permissions, name, catalogue }: PermissionListProps): ReactNode {
  const preset = catalogue ? presetIn(permissions, resourcesOf(catalogue), () => true) : null;
  const count = t('permissions.count', { count: permissions.length });
  return (
    <Popover
      width={320}
      label={t('permissions.actions', { name })}
      trigger={
        <button type="button" className={css.opener}>
          {preset ? t(`permissions.${preset}`) : count}
          <span className="sr-only">, {t('permissions.showAll', { name })}</span>
        </button>
      }
    >
      <h2 className={css.count}>{count}</h2>
      <dl ref={scrollRegion} className={css.list}>
        {[...byResource(permissions)].map(([resource, list]) => (
          <div key={resource}>
            <dt>{resourceName(resource)}</dt>
            <dd>{listed(list.map(actionName))}</dd>
          </div>
        ))}
      </dl>
    </Popover>
  );
}
