import { useState, type ReactNode } from 'react';
import {
  useConnect,
  useRepositories,
  type CopyStatus,
  type HostRepository,
  type HostToken,
  type RepositoryList,
} from '../../api/gitcopy';
import { t, type Key } from '../../i18n';
import { Banner, Button, Dialog, toast, useDialogGuard } from '../../ui';
import { AccessStep, type Access } from './AccessStep';
import { EnvironmentChoice, environmentOf, labelOf, type Label } from './EnvironmentSection';
import css from './GitCopy.module.css';
import { RepositoryStep } from './RepositoryStep';

type Step = 'access' | 'repository' | 'server';

const names: Record<Step, Key> = {
  access: 'gitcopy.access',
  repository: 'gitcopy.repository',
  server: 'gitcopy.server',
};

export interface ConnectDialogProps {
  status: CopyStatus;
  onClose: () => void;
}

/** Connects a repository: a token, a repository that it reaches, and what this server is. */
export function ConnectDialog({ status, onClose }: ConnectDialogProps): ReactNode {
  // The label stays as it is while a repository is connected.
  const steps: readonly Step[] = status.connected
    ? ['access', 'repository']
    : ['access', 'repository', 'server'];
  const [step, go] = useState<Step>('access');
  const [access, setAccess] = useState<Access>({
    by: 'token',
    token: '',
    credentialName: '',
    credentialId: status.credential?.id ?? '',
  });
  const [list, setList] = useState<RepositoryList | null>(null);
  const [repo, setRepo] = useState(status.repo ?? '');
  const [label, setLabel] = useState<Label>(labelOf(status.environment));
  const find = useRepositories();
  const connect = useConnect(status.environment);
  const busy = find.isPending || connect.isPending;
  const dirty = access.token !== '' || step !== 'access';
  const guard = useDialogGuard(dirty, busy, onClose);

  const proof: HostToken =
    access.by === 'token' ? { token: access.token.trim() } : { credentialId: access.credentialId };
  const number = steps.indexOf(step) + 1;
  const isLast = number === steps.length;
  const next = (): void => {
    if (isLast) finish();
    else go(steps[number] ?? step);
  };
  const finish = (): void =>
    connect.mutate(
      {
        repo: repo.trim(),
        access: proof,
        credentialName: access.credentialName.trim(),
        environment: status.connected ? status.environment : environmentOf(label),
      },
      {
        onSuccess: (now) => {
          guard.close();
          toast(t('gitcopy.connected', { repo: now.repo ?? repo }));
        },
      },
    );
  const back = (): void => {
    connect.reset();
    find.reset();
    go(steps[number - 2] ?? step);
  };
  const keep = (made: HostRepository): void =>
    setList((before) => before && { ...before, repos: [made, ...before.repos] });
  const reads = (status.connected ? status.role === 'read' : label === 'prod') && isLast;

  return (
    <Dialog
      open
      onClose={guard.close}
      mayClose={guard.mayClose}
      title={t('gitcopy.connectRepository')}
      description={t('gitcopy.step', { number, total: steps.length, name: t(names[step]) })}
      footer={
        <>
          {guard.warning}
          {number === 1 ? (
            <Button onClick={guard.close} disabled={busy}>
              {t(guard.warned ? 'kit.discard' : 'kit.cancel')}
            </Button>
          ) : (
            <Button onClick={back} disabled={busy}>
              {t('gitcopy.back')}
            </Button>
          )}
          <Button type="submit" form="gitcopy-step" variant="primary" busy={busy}>
            {t(isLast ? 'gitcopy.connect' : 'gitcopy.next')}
          </Button>
        </>
      }
    >
      <div className={css.step}>
        {step === 'access' && (
          <AccessStep
            host={status.host}
            access={access}
            onChange={(part) => {
              find.reset();
              setAccess({ ...access, ...part });
            }}
            error={find.error?.message ?? null}
            onSkip={() => {
              setList(null);
              next();
            }}
            onDone={() =>
              find.mutate(proof, {
                onSuccess: (found) => {
                  setList(found);
                  next();
                },
              })
            }
          />
        )}
        {step === 'repository' && (
          <RepositoryStep
            host={status.host}
            reads={reads}
            access={proof}
            list={list}
            repo={repo}
            onRepo={(chosen) => {
              connect.reset();
              setRepo(chosen);
            }}
            onMade={keep}
            onDone={next}
          />
        )}
        {step === 'server' && (
          <form
            id="gitcopy-step"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              next();
            }}
          >
            <EnvironmentChoice value={label} onChange={setLabel} />
          </form>
        )}
        {connect.error && <Banner tone="danger" title={connect.error.message} />}
      </div>
    </Dialog>
  );
}
