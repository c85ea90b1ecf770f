import { Braces, Pin, Server } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMissingPermissions } from '../../api/me';
import { useUsedBy } from '../../api/usedBy';
import { useDeleteVariable, useVariables, type Variable } from '../../api/variables';
import { t } from '../../i18n';
import { Badge, ResourcePage, Select, updatedColumn, useAddress, usedByColumn } from '../../ui';
import { VariableForm } from './VariableForm';
import css from './Variables.module.css';
import './words';

/** The variables of the workspace. */
export default function VariablesPage(): ReactNode {
  const missing = useMissingPermissions('variables');
  const usedBy = useUsedBy('variables', !missing.view).data;
  const { read, put } = useAddress();
  const type = read('type');
  return (
    <ResourcePage
      texts="variables"
      values={{ example: '{{$vars.name}}' }}
      icon={Braces}
      query={useVariables(!missing.view)}
      missing={missing}
      name={(row) => row.name}
      words={(row) => [row.name, row.value]}
      filters={{
        names: ['type'],
        pass: (row) => !type || row.type === type,
        tools: (
          <Select
            className={css.filter}
            aria-label={t('variables.type')}
            value={type}
            onChange={(next) => put({ type: next })}
            options={[
              { value: '', label: t('variables.allTypes') },
              { value: 'static', label: t('variables.static') },
              { value: 'runtime', label: t('variables.runtime') },
            ]}
          />
        ),
      }}
      columns={[
        {
          id: 'type',
          header: t('variables.type'),
          width: '120px',
          cell: (row) => (
            <Badge
              icon={row.type === 'static' ? Pin : Server}
              tone={row.type === 'static' ? 'neutral' : 'info'}
            >
              {t(`variables.${row.type}`)}
            </Badge>
          ),
        },
        {
          id: 'value',
          header: t('variables.value'),
          wideOnly: true,
          cell: (row) => <Value variable={row} />,
        },
        ...usedByColumn(usedBy, (row) => row.name),
        updatedColumn(),
      ]}
      remove={useDeleteVariable()}
      affected={{ text: t('variables.deleteUsed'), flows: (row) => usedBy?.[row.name] }}
      form={(row, close) => <VariableForm variable={row} onClose={close} />}
    />
  );
}

function Value({ variable }: { variable: Variable }): ReactNode {
  if (variable.type === 'runtime') return <span className="muted">{t('variables.fromEnvironment')}</span>;
  if (!variable.value) return <span className="muted">{t('variables.noValue')}</span>;
  return (
    <code className={css.value} title={variable.value.length > 60 ? variable.value : undefined}>
      {variable.value}
    </code>
  );
}
