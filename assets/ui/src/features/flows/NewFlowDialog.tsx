import { Check } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useCreateAssistant } from '../../api/assistants';
import { useCreateFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import { cx, Field, FormDialog, Input, Tile, useForm } from '../../ui';
import css from './Flows.module.css';
import { kindOf, permission } from './kind';
import { t } from './words';

const offered = [
  { type: 'CHATFLOW', help: 'flows.chatflowHelp' },
  { type: 'AGENTFLOW', help: 'flows.agentflowHelp' },
  { type: 'ASSISTANT', help: 'flows.assistantHelp' },
  { type: 'HARNESS', help: 'flows.harnessHelp' },
  { type: 'ETL', help: 'flows.etlHelp' },
] as const;

export function NewFlowDialog({ onClose }: { onClose: () => void }): ReactNode {
  const can = useCan();
  const [, go] = useLocation();
  const drawn = useCreateFlow();
  const told = useCreateAssistant();
  const kinds = offered.filter(({ type }) => can(permission(type, 'create')));
  const [type, setType] = useState<(typeof offered)[number]['type']>(kinds[0]?.type ?? 'CHATFLOW');
  const untitled = t('flows.untitled', { kind: t(kindOf[type].one).toLowerCase() });
  const form = useForm(
    { name: '' },
    {
      send: async (typed) => {
        const name = typed.name.trim() || untitled;
        const { id } =
          type === 'ASSISTANT'
            ? await told.mutateAsync({ name })
            : await drawn.mutateAsync({ name, type, flowData: '{"nodes":[],"edges":[]}' });
        go(`/flows/${id}`);
      },
    },
  );
  return (
    <FormDialog form={form} onClose={onClose} title={t('flows.new')} action={t('flows.create')} size="small">
      <fieldset className={css.kinds}>
        <legend>{t('flows.kind')}</legend>
        {kinds.map(({ type: of, help }) => (
          <label key={of} className={cx(css.kind, of === type && css.chosen)}>
            <input
              type="radio"
              name="kind"
              className="sr-only"
              checked={of === type}
              onChange={() => setType(of)}
            />
            <Tile {...kindOf[of]} size="large" />
            <span className={css.kindWords}>
              <span className={css.kindName}>{t(kindOf[of].one)}</span>
              <span className={css.muted}>{t(help)}</span>
            </span>
            {of === type && <Check size={16} aria-hidden />}
          </label>
        ))}
      </fieldset>
      <Field label={t('flows.name')}>
        <Input
          data-autofocus
          value={form.values.name}
          maxLength={200}
          placeholder={untitled}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
