import { useState, type ReactNode } from 'react';
import type { Environment } from '../../api/environment';
import { useLabelServer, type CopyStatus } from '../../api/gitcopy';
import { t } from '../../i18n';
import { Banner, Button, Choices, Section, toast } from '../../ui';
import css from './GitCopy.module.css';

export type Label = Environment | 'none';

export const labelOf = (environment: Environment | null): Label => environment ?? 'none';
export const environmentOf = (label: Label): Environment | null => (label === 'none' ? null : label);

export interface EnvironmentChoiceProps {
  value: Label;
  onChange: (label: Label) => void;
  hideLabel?: boolean;
  /** What is done with the connected repository: a label that would turn that round waits until it is disconnected. */
  role?: CopyStatus['role'] | null;
}

/** Whether a server is Dev, Prod or neither, and what follows from it. */
export function EnvironmentChoice({ value, onChange, hideLabel, role }: EnvironmentChoiceProps): ReactNode {
  const roleOf = (label: Label): CopyStatus['role'] => (label === 'prod' ? 'read' : 'copy');
  return (
    <Choices<Label>
      label={t('gitcopy.environment')}
      hideLabel={hideLabel ?? false}
      value={value}
      onChange={onChange}
      options={(['dev', 'prod', 'none'] as const).map((one) => ({
        value: one,
        label: t(`gitcopy.environment.${one}`),
        description: t(`gitcopy.environment.${one}Text`),
        disabled: Boolean(role) && roleOf(one) !== role,
      }))}
    />
  );
}

/** Labels the server. */
export function EnvironmentSection({ status }: { status: CopyStatus }): ReactNode {
  const { environment, connected, role } = status;
  const [chosen, choose] = useState<Label>(labelOf(environment));
  const label = useLabelServer();
  const save = (): void =>
    label.mutate(environmentOf(chosen), {
      onSuccess: () =>
        toast(
          chosen === 'none'
            ? t('gitcopy.environmentTaken')
            : t('gitcopy.environmentSaved', { name: t(`gitcopy.environment.${chosen}`) }),
        ),
    });
  return (
    <Section title={t('gitcopy.server')} description={t('gitcopy.environmentText')}>
      <EnvironmentChoice
        value={chosen}
        onChange={(next) => {
          label.reset();
          choose(next);
        }}
        hideLabel
        role={connected ? role : null}
      />
      {connected && <p className="note">{t('gitcopy.environmentFixed')}</p>}
      {label.error && <Banner tone="danger" title={label.error.message} />}
      {chosen !== labelOf(environment) && (
        <div className={css.actions}>
          <Button variant="primary" busy={label.isPending} onClick={save}>
            {t('kit.save')}
          </Button>
          <Button onClick={() => choose(labelOf(environment))}>{t('kit.cancel')}</Button>
        </div>
      )}
    </Section>
  );
}
