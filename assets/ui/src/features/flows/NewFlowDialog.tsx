import { Check } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useCreateAssistant } from '../../api/assistants';
import { useCreateFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import { t } from '../../i18n';
import { Banner, Button, cx, Dialog, Field, Fields, Input, Tile } from '../../ui';
import css from './Flows.module.css';
import { kindOf, permission } from './kind';

const offered = [
  { type: 'CHATFLOW', help: 'flows.chatflowHelp' },
  { type: 'AGENTFLOW', help: 'flows.agentflowHelp' },
  { type: 'ASSISTANT', help: 'flows.assistantHelp' },
  { type: 'HARNESS', help: 'flows.harnessHelp' },
] as const;

export function NewFlowDialog({ onClose }: { onClose: () => void }): ReactNode {
  const can = useCan();
  const [, go] = useLocation();
  const drawn = useCreateFlow();
  const told = useCreateAssistant();
  const kinds = offered.filter(({ type }) => can(permission(type, 'create')));
  const [type, setType] = useState<(typeof offered)[number]['type']>(kinds[0]?.type ?? 'CHATFLOW');
  const [name, setName] = useState('');
  const error = type === 'ASSISTANT' ? told.error : drawn.error;
  const untitled = t('flows.untitled', { kind: t(kindOf[type].one).toLowerCase() });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const called = name.trim() || untitled;
    const then = { onSuccess: ({ id }: { id: string }) => go(`/flows/${id}`) };
    if (type === 'ASSISTANT') told.mutate({ name: called }, then);
    else drawn.mutate({ name: called, type, flowData: '{"nodes":[],"edges":[]}' }, then);
  };
  return (
    <Dialog open onClose={onClose} title={t('flows.new')} size="small">
      <form onSubmit={submit}>
        <Fields>
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
              autoFocus
              value={name}
              maxLength={200}
              placeholder={untitled}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          {error && <Banner tone="danger">{error.message}</Banner>}
          <div className={css.end}>
            <Button onClick={onClose}>{t('kit.cancel')}</Button>
            <Button type="submit" variant="primary" busy={drawn.isPending || told.isPending}>
              {t('flows.create')}
            </Button>
          </div>
        </Fields>
      </form>
    </Dialog>
  );
}
