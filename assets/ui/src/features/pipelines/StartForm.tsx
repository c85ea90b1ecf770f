import { FlaskConical, Play } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { useStartPipeline, type PipelineRun } from '../../api/pipelines';
import { changedParams, type Param } from '../../core/start';
import { t } from '../../i18n';
import { Banner, Button, Field, Input, Section, TextArea, useCountdown } from '../../ui';
import css from './Pipelines.module.css';

export interface StartFormProps {
  flow: string;
  /** What Live declares. */
  params: readonly Param[];
  unsaved: boolean;
  /** A run is under way. */
  busy: boolean;
  onStarted: (run: PipelineRun) => void;
}

/** Starts a run of Live, with other values for its params where some are typed. */
export function StartForm({ flow, params, unsaved, busy, onStarted }: StartFormProps): ReactNode {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const start = useStartPipeline(flow);
  const { error, isPending, variables } = start;
  const wait = useCountdown((error instanceof ApiError && error.retryAfter) || 0);
  const blocked = busy || isPending || wait > 0;
  const send = (dryRun: boolean): void => {
    if (!blocked) start.mutate({ dryRun, params: changedParams(params, typed) }, { onSuccess: onStarted });
  };
  return (
    <Section title={t('pipelines.start')} description={t('pipelines.runText')}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          send(false);
        }}
      >
        {params.length > 0 && (
          <div className={css.params}>
            {params.map(({ name, value }) => (
              <ParamField
                key={name}
                name={name}
                value={typed[name] ?? value}
                long={value.includes('\n')}
                onChange={(next) => setTyped((before) => ({ ...before, [name]: next }))}
              />
            ))}
          </div>
        )}
        {error && (
          <Banner tone="danger" title={t('pipelines.refused')}>
            {error.message}
          </Banner>
        )}
        <div className="inline">
          <Button
            type="submit"
            variant="primary"
            icon={Play}
            busy={isPending && !variables.dryRun}
            disabled={blocked && !isPending}
          >
            {wait > 0 ? t('kit.retryIn', { seconds: wait }) : t('pipelines.run')}
          </Button>
          <Button
            icon={FlaskConical}
            busy={isPending && variables.dryRun}
            disabled={blocked && !isPending}
            onClick={() => send(true)}
          >
            {t('pipelines.dryRun')}
          </Button>
          {(busy || unsaved) && (
            <p className="note">{t(busy ? 'pipelines.underWayText' : 'pipelines.unsaved')}</p>
          )}
        </div>
      </form>
    </Section>
  );
}

interface ParamFieldProps {
  name: string;
  value: string;
  /** It has lines, which a field of one line would lose. */
  long: boolean;
  onChange: (value: string) => void;
}

function ParamField({ name, value, long, onChange }: ParamFieldProps): ReactNode {
  return (
    <Field label={name}>
      {long ? (
        <TextArea rows={3} value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <Input value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
