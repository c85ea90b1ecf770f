import { useState, type FormEvent, type ReactNode } from 'react';
import { useCredentials } from '../../api/credentials';
import { compareNames } from '../../core/format';
import { t } from '../../i18n';
import { Button, Field, Fields, Input, PasswordInput, Segments, Select } from '../../ui';
import css from './GitCopy.module.css';

/** The type of the credentials that hold a token of a git host. */
const TOKEN_CREDENTIAL = 'githubApi';

/** Where the token comes from, as it was typed or chosen. */
export interface Access {
  by: 'token' | 'credential';
  token: string;
  credentialName: string;
  credentialId: string;
}

export interface AccessStepProps {
  host: string;
  access: Access;
  onChange: (part: Partial<Access>) => void;
  /** What the host or the service said of the token. */
  error: string | null;
  /** Goes on without a list of repositories. */
  onSkip: () => void;
  onDone: () => void;
}

/** The token: a new one, or one that is stored already. */
export function AccessStep({ host, access, onChange, error, onSkip, onDone }: AccessStepProps): ReactNode {
  const stored = (useCredentials().data ?? [])
    .filter(({ credentialName }) => credentialName === TOKEN_CREDENTIAL)
    .sort((a, b) => compareNames(a.name, b.name));
  const [missing, setMissing] = useState<string | null>(null);
  const { by, token, credentialId, credentialName } = access;
  const change = (part: Partial<Access>): void => {
    setMissing(null);
    onChange(part);
  };
  const isThere = (): boolean => {
    const there = by === 'token' ? token.trim() !== '' : credentialId !== '';
    if (!there) setMissing(t(by === 'token' ? 'gitcopy.missingToken' : 'gitcopy.missingCredential'));
    return there;
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isThere()) onDone();
  };
  return (
    <form id="gitcopy-step" onSubmit={send} noValidate>
      <Fields>
        <div>
          <Segments<Access['by']>
            label={t('gitcopy.by')}
            value={by}
            onChange={(next) => change({ by: next })}
            options={[
              { value: 'token', label: t('gitcopy.byToken') },
              { value: 'credential', label: t('gitcopy.byCredential') },
            ]}
          />
        </div>
        {by === 'token' ? (
          <>
            <Field
              label={t('gitcopy.token', { host })}
              help={t('gitcopy.tokenHelp', { host })}
              error={missing ?? error}
              required
            >
              <PasswordInput
                autoFocus
                autoComplete="off"
                value={token}
                onChange={(event) => change({ token: event.target.value })}
              />
            </Field>
            <Field label={t('gitcopy.credentialName')} help={t('gitcopy.credentialNameHelp')} optional>
              <Input
                maxLength={100}
                value={credentialName}
                onChange={(event) => change({ credentialName: event.target.value })}
              />
            </Field>
          </>
        ) : stored.length === 0 ? (
          <p className="nothing">{t('gitcopy.accessNone')}</p>
        ) : (
          <Field label={t('gitcopy.credential')} error={missing ?? error} required>
            <Select
              value={credentialId}
              placeholder={t('kit.choose')}
              onChange={(next) => change({ credentialId: next })}
              options={stored.map(({ id, name }) => ({ value: id, label: name }))}
            />
          </Field>
        )}
        {error && (
          <div className={css.actions}>
            <Button size="compact" onClick={() => isThere() && onSkip()}>
              {t('gitcopy.skipList')}
            </Button>
          </div>
        )}
      </Fields>
    </form>
  );
}
