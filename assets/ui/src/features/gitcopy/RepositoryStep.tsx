import { FolderPlus, Globe, LockKeyhole } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import {
  useCreateRepository,
  type HostRepository,
  type HostToken,
  type RepositoryList,
} from '../../api/gitcopy';
import { relativeTime } from '../../core/format';
import { includesWords } from '../../core/words';
import { t } from '../../i18n';
import { Badge, Banner, Button, Choices, Field, Fields, Input, SearchField, toast } from '../../ui';
import css from './GitCopy.module.css';

/** As many are in view at once. */
const LISTED = 100;

export interface RepositoryStepProps {
  host: string;
  /** The repository is read and not written. */
  reads: boolean;
  access: HostToken;
  /** Null where no list was to be had. */
  list: RepositoryList | null;
  repo: string;
  onRepo: (repo: string) => void;
  onMade: (made: HostRepository) => void;
  onDone: () => void;
}

/** The repository: one of the list, a new one, or one by its name. */
export function RepositoryStep(props: RepositoryStepProps): ReactNode {
  const { host, reads, access, list, repo, onRepo, onMade, onDone } = props;
  const [missing, setMissing] = useState(false);
  const chosen = list?.repos.find((one) => one.repo === repo) ?? null;
  const pick = (next: string): void => {
    setMissing(false);
    onRepo(next);
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (repo.trim() === '') setMissing(true);
    else onDone();
  };
  return (
    <>
      {list && <Found list={list} repo={repo} onRepo={pick} />}
      {list && (
        <NewRepository
          account={list.account}
          access={access}
          onMade={(made) => {
            onMade(made);
            pick(made.repo);
          }}
        />
      )}
      <form id="gitcopy-step" onSubmit={send} noValidate>
        <Fields>
          <Field
            label={t(list ? 'gitcopy.otherRepository' : 'gitcopy.repository')}
            help={t('gitcopy.otherRepositoryHelp', { host })}
            error={missing ? t('gitcopy.missingRepository') : null}
          >
            <Input
              spellCheck={false}
              value={chosen ? '' : repo}
              onChange={(event) => pick(event.target.value)}
            />
          </Field>
        </Fields>
      </form>
      {chosen && !chosen.private && <Banner tone="warning" title={t('gitcopy.publicText')} />}
      {chosen && !chosen.empty && <Banner>{t(reads ? 'gitcopy.fullTextRead' : 'gitcopy.fullText')}</Banner>}
    </>
  );
}

function Found(props: { list: RepositoryList; repo: string; onRepo: (repo: string) => void }): ReactNode {
  const { list, repo, onRepo } = props;
  const [typed, setTyped] = useState('');
  const found = list.repos.filter((one) => includesWords([one.repo], typed));
  const shown = found.slice(0, LISTED);
  if (list.repos.length === 0) return <p className="nothing">{t('gitcopy.noRepositories')}</p>;
  return (
    <>
      <SearchField label={t('gitcopy.find')} value={typed} onChange={setTyped} />
      {shown.length === 0 ? (
        <p className="nothing" role="status">
          {t('gitcopy.nothingFound')}
        </p>
      ) : (
        <Choices
          label={t('gitcopy.repositories', { account: list.account })}
          long
          value={repo}
          onChange={onRepo}
          options={shown.map((one) => ({
            value: one.repo,
            label: one.repo,
            aside: <Traits repository={one} />,
            description: one.pushedAt
              ? t('gitcopy.lastPush', { time: relativeTime(one.pushedAt) })
              : t('gitcopy.neverPushed'),
          }))}
        />
      )}
      {found.length > LISTED && <p className="note">{t('gitcopy.more', { count: LISTED })}</p>}
    </>
  );
}

const Traits = ({ repository }: { repository: HostRepository }): ReactNode => (
  <>
    {repository.private ? (
      <Badge icon={LockKeyhole}>{t('gitcopy.private')}</Badge>
    ) : (
      <Badge icon={Globe} tone="warning">
        {t('gitcopy.public')}
      </Badge>
    )}
    <Badge tone={repository.empty ? 'success' : 'neutral'}>
      {t(repository.empty ? 'gitcopy.empty' : 'gitcopy.full')}
    </Badge>
  </>
);

interface NewRepositoryProps {
  account: string;
  access: HostToken;
  onMade: (made: HostRepository) => void;
}

function NewRepository({ account, access, onMade }: NewRepositoryProps): ReactNode {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [missing, setMissing] = useState(false);
  const create = useCreateRepository();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === '') return setMissing(true);
    create.mutate(
      { name: name.trim(), access },
      {
        onSuccess: (made) => {
          toast(t('gitcopy.created', { repo: made.repo }));
          setOpen(false);
          setName('');
          onMade(made);
        },
      },
    );
  };
  if (!open) {
    return (
      <div>
        <Button size="compact" icon={FolderPlus} onClick={() => setOpen(true)}>
          {t('gitcopy.createRepository')}
        </Button>
      </div>
    );
  }
  return (
    <form className={css.create} onSubmit={send} noValidate>
      <Field
        label={t('gitcopy.newName')}
        help={t('gitcopy.createHelp', { account })}
        error={missing ? t('gitcopy.missingName') : (create.error?.message ?? null)}
      >
        <Input
          autoFocus
          spellCheck={false}
          maxLength={100}
          value={name}
          onChange={(event) => {
            setMissing(false);
            create.reset();
            setName(event.target.value);
          }}
        />
      </Field>
      <div className={css.actions}>
        <Button type="submit" size="compact" busy={create.isPending}>
          {t('gitcopy.create')}
        </Button>
        <Button size="compact" variant="ghost" disabled={create.isPending} onClick={() => setOpen(false)}>
          {t('kit.cancel')}
        </Button>
      </div>
    </form>
  );
}
