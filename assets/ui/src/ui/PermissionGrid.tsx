import type { ReactNode } from 'react';
import {
  presetIn,
  presetOf,
  presets,
  resourcesOf,
  share,
  toggleResource,
  type Catalogue,
  type Preset,
} from '../core/permissions';
import { t } from '../i18n';
import { FieldError } from './Field';
import { actionName, resourceName } from './permissionNames';
import css from './PermissionGrid.module.css';
import { Checkbox } from './Switch';
import { Segments } from './Tabs';

export interface PermissionGridProps {
  catalogue: Catalogue;
  value: readonly string[];
  onChange: (permissions: string[]) => void;
  /** Whether the person may give this one. */
  may: (permission: string) => boolean;
  readOnly?: boolean;
  /** Leaves out the presets. */
  plain?: boolean;
  error?: string | undefined;
}

type Choice = Preset | 'custom';

/** Permissions by resource, a line for each, with presets above. */
export function PermissionGrid(props: PermissionGridProps): ReactNode {
  const { catalogue, value, onChange, may, readOnly, plain, error } = props;
  const resources = resourcesOf(catalogue);
  const chosen = new Set(value);
  const preset: Choice = presetIn(value, resources, may) ?? 'custom';
  const put = (next: ReadonlySet<string>): void =>
    // In the order of the service, and with what this version does not know.
    onChange([
      ...resources.flatMap((resource) => resource.permissions).filter((name) => next.has(name)),
      ...value.filter((name) => !resources.some((resource) => resource.permissions.includes(name))),
    ]);
  const toggle = (name: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(name);
    else next.delete(name);
    put(next);
  };
  const limited = resources.some((resource) => resource.permissions.some((name) => !may(name)));
  return (
    <div
      className={css.whole}
      role="group"
      aria-label={t('permissions.title')}
      // Nothing in it can be focused then, so that the panel around it could not be scrolled by keyboard.
      {...(readOnly ? { tabIndex: 0 } : {})}
    >
      <div className={css.head}>
        <span className={css.label}>{t('permissions.title')}</span>
        {!readOnly && !plain && (
          <Segments<Choice>
            label={t('permissions.presets')}
            value={preset}
            onChange={(next) => next !== 'custom' && onChange(presetOf(next, resources, may))}
            options={presets.map((one) => ({ value: one, label: t(`permissions.${one}`) }))}
          />
        )}
      </div>
      <p className="note" role="status">
        {preset === 'custom' || plain || readOnly
          ? t('permissions.customText', { count: chosen.size })
          : t(`permissions.${preset}Text`)}
        {limited && !readOnly && ` ${t('permissions.notYours')}`}
      </p>
      {error && (
        <FieldError tabIndex={-1} data-error>
          {error}
        </FieldError>
      )}
      <div className={css.grid}>
        {resources.map((resource) => {
          const name = resourceName(resource.name);
          const none = !resource.permissions.some((one) => may(one) || chosen.has(one));
          return (
            <div key={resource.name} className={css.row} role="group" aria-label={name}>
              <div className={css.resource}>
                <Checkbox
                  label={name}
                  checked={share(resource, chosen, may)}
                  disabled={readOnly || none}
                  onChange={() => put(toggleResource(resource, chosen, may))}
                />
              </div>
              <div className={css.actions}>
                {resource.permissions.map((one) => (
                  <Checkbox
                    key={one}
                    label={actionName(one)}
                    checked={chosen.has(one)}
                    disabled={readOnly || (!may(one) && !chosen.has(one))}
                    onChange={(on) => toggle(one, on)}
                  />
                ))}
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}
