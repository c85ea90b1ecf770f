import { useMemo, useState, type ReactNode } from 'react';
import { useAllowable, useVariableNames } from '../../api/flowsettings';
import type { Flow } from '../../api/models';
import {
  grouped,
  neverChanged,
  readOverrides,
  rowKey,
  writeOverrides,
  type Allowable,
  type Variable,
} from '../../core/overrides';
import { t } from '../../i18n';
import { Checkbox, FilteredEmpty, Loaded, SearchField, Skeleton } from '../../ui';
import css from './FlowSettings.module.css';
import { SettingSection } from './SettingSection';
import { useSection, type SectionProps } from './useSection';

export interface OverrideProps extends SectionProps {
  /** The canvas that the service's list speaks of. */
  canvas: string;
}

export function OverrideSection(props: OverrideProps): ReactNode {
  const { flow } = props;
  const rows = useAllowable(flow.id, flow.updatedDate);
  const variables = useVariableNames();
  const both = {
    data:
      rows.data && variables.data !== undefined ? { rows: rows.data, variables: variables.data } : undefined,
    error: rows.error ?? variables.error,
    refetch: () => Promise.all([rows.refetch(), variables.refetch()]),
  };
  return (
    <Loaded query={both} skeleton={<Skeleton lines={8} height={24} />}>
      {(data) => <Form {...props} offered={data.rows} variables={data.variables ?? []} />}
    </Loaded>
  );
}

interface FormProps extends OverrideProps {
  offered: readonly Allowable[];
  variables: readonly Variable[];
}

function Form({ flow, canvas, mayEdit, offered, variables }: FormProps): ReactNode {
  const [search, setSearch] = useState('');
  const form = useSection(
    flow,
    (one) => readOverrides(one.apiConfig),
    (now: Flow, value) => ({ apiConfig: writeOverrides(now.apiConfig, value, offered, variables) }),
  );
  const { on, rows, variables: chosen } = form.value;
  const blocked = useMemo(
    () => [...offered.filter((row) => row.blocked), ...neverChanged(canvas, offered)],
    [canvas, offered],
  );
  const fits = (...words: string[]): boolean =>
    words.join(' ').toLowerCase().includes(search.trim().toLowerCase());
  const groups = grouped([...offered.filter((row) => !row.blocked), ...blocked])
    .map((group) => ({
      ...group,
      rows: group.rows.filter((row) => fits(group.node, row.label, row.name)),
    }))
    .filter((group) => group.rows.length > 0);
  const shownVariables = variables.filter((one) => fits(one.name));
  const never = new Map(blocked.map((row) => [rowKey(row.node, row.name), row.blocked ?? '']));
  const toggle = (key: string, add: boolean): void =>
    form.set({ rows: add ? [...rows, key] : rows.filter((one) => one !== key) });
  return (
    <SettingSection
      title={t('flowsettings.overrides')}
      description={t('flowsettings.overridesText')}
      state={form}
      mayEdit={mayEdit}
    >
      <Checkbox
        checked={on}
        onChange={(next) => form.set({ on: next })}
        label={t('flowsettings.overridesOn')}
        help={t('flowsettings.overridesCount', { count: rows.length + chosen.length })}
        disabled={!mayEdit}
      />
      <SearchField value={search} onChange={setSearch} label={t('flowsettings.overridesSearch')} />
      {blocked.length > 0 && <p className={css.note}>{t('flowsettings.neverText')}</p>}
      {groups.length === 0 && shownVariables.length === 0 && search && (
        <FilteredEmpty onClear={() => setSearch('')} />
      )}
      {groups.length === 0 && !search && <p className={css.note}>{t('flowsettings.overridesNone')}</p>}
      {groups.map((group) => (
        <Card
          key={group.node}
          title={group.node}
          count={group.rows.filter((row) => rows.includes(rowKey(row.node, row.name))).length}
        >
          {group.rows.map((row) => {
            const key = rowKey(row.node, row.name);
            const reason = never.get(key);
            return (
              <Checkbox
                key={row.name}
                checked={reason === undefined && rows.includes(key)}
                onChange={(add) => toggle(key, add)}
                label={row.label}
                help={
                  <>
                    <code>{row.name}</code> {row.type.length > 48 ? `${row.type.slice(0, 48)}…` : row.type}
                    {reason !== undefined && <> · {reason || t('flowsettings.never')}</>}
                  </>
                }
                disabled={!mayEdit || reason !== undefined}
              />
            );
          })}
        </Card>
      ))}
      {(shownVariables.length > 0 || !search) && (
        <Card title={t('flowsettings.variables')} count={chosen.length}>
          {variables.length === 0 && <p className={css.note}>{t('flowsettings.noVariables')}</p>}
          {shownVariables.map((one) => (
            <Checkbox
              key={one.id}
              checked={chosen.includes(one.name)}
              onChange={(add) =>
                form.set({
                  variables: add ? [...chosen, one.name] : chosen.filter((name) => name !== one.name),
                })
              }
              label={one.name}
              disabled={!mayEdit}
            />
          ))}
        </Card>
      )}
    </SettingSection>
  );
}

function Card({ title, count, children }: { title: string; count: number; children: ReactNode }): ReactNode {
  return (
    <div className={css.card} role="group" aria-label={title}>
      <h3>
        {title}
        {count > 0 && <span className={css.note}>{t('flowsettings.chosen', { count })}</span>}
      </h3>
      <div className={css.rows}>{children}</div>
    </div>
  );
}
