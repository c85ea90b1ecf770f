import { Library, Pencil } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { isGone } from '../../api/client';
import { useCan } from '../../api/me';
import { isBehind, useStore, type Store } from '../../api/stores';
import { number } from '../../core/format';
import {
  BackLink,
  Banner,
  Button,
  DraftMark,
  EmptyState,
  later,
  Loaded,
  NoAccess,
  Page,
  PageHeader,
  Tabs,
  useAddress,
  useUnsaved,
  type Tab,
} from '../../ui';
import { Documents } from './Documents';
import { JobLine } from './JobLine';
import css from './Knowledge.module.css';
import type { Chosen, KnowledgeParts } from './parts';
import { behindWords, StateBadge } from './state';
import { UseInFlow } from './UseInFlow';
import { useJobs } from './useJobs';
import { t } from './words';

const Passages = later(() => import('./Passages'));
const SearchSettings = later(() => import('./SearchSettings'));
const AskStore = later(() => import('./AskStore'));
const StoreForm = later(() => import('./StoreForm'), null);

const names = ['documents', 'passages', 'search', 'ask'] as const;
type Name = (typeof names)[number];

/** A document store: what is in it, how it is cut, what makes it findable, and what is found. */
export function StorePage({ id, parts }: { id: string; parts: KnowledgeParts }): ReactNode {
  const maySee = useCan()('documentStores:view');
  const store = useStore(id, maySee);
  if (!maySee)
    return (
      <Page>
        <ToList />
        <PageHeader title={t('knowledge.title')} />
        <NoAccess permission="documentStores:view" />
      </Page>
    );
  if (isGone(store.error))
    return (
      <Page>
        <PageHeader title={t('knowledge.title')} />
        <EmptyState
          icon={Library}
          title={t('knowledge.unknownStore')}
          actions={
            <Button asChild>
              <Link href="/knowledge">{t('knowledge.allStores')}</Link>
            </Button>
          }
        />
      </Page>
    );
  return <Loaded query={store}>{(data) => <StoreTabs store={data} parts={parts} />}</Loaded>;
}

const ToList = (): ReactNode => <BackLink href="/knowledge">{t('knowledge.back')}</BackLink>;

function StoreTabs({ store, parts }: { store: Store; parts: KnowledgeParts }): ReactNode {
  const { read, put } = useAddress();
  const [renaming, setRenaming] = useState(false);
  const [edits, setEdits] = useState<Chosen | null>(null);
  useUnsaved(edits !== null, `/knowledge/${store.id}`);
  const jobs = useJobs();
  const can = useCan();
  const asked = read('tab');
  const tab: Name = names.find((one) => one === asked) ?? 'documents';
  const counts: Partial<Record<Name, number>> = {
    documents: store.loaders.length,
    passages: store.totalChunks,
  };
  const tabs: Tab<Name>[] = names.map((value) => ({
    value,
    label: t(`knowledge.${value}`),
    ...(counts[value] === undefined ? {} : { count: counts[value] }),
  }));
  const elsewhere = store.progress !== null && jobs.running === null;
  return (
    <Page>
      <ToList />
      <PageHeader
        title={store.name}
        description={store.description}
        actions={
          <>
            {can('documentStores:update', 'documentStores:create') && (
              <Button icon={Pencil} onClick={() => setRenaming(true)}>
                {t('knowledge.rename')}
              </Button>
            )}
            <UseInFlow store={store} parts={parts} />
          </>
        }
      />
      <Facts store={store} />
      {isBehind(store) && (
        <Banner
          tone="warning"
          actions={
            tab !== 'search' && (
              <Button size="compact" onClick={() => put({ tab: 'search', page: '', passage: '' })}>
                {t('knowledge.fillAgain')}
              </Button>
            )
          }
        >
          {behindWords(store)}
        </Banner>
      )}
      {elsewhere && <JobLine progress={store.progress} />}
      <Tabs<Name>
        value={tab}
        onChange={(next) => put({ tab: next === 'documents' ? '' : next, page: '', passage: '' })}
        tabs={tabs}
        label={t('knowledge.tabs')}
        panelClassName={css.panel}
      >
        {tab === 'documents' && <Documents store={store} parts={parts} jobs={jobs} />}
        {tab === 'passages' && <Passages store={store} />}
        {tab === 'search' && (
          <SearchSettings store={store} parts={parts} jobs={jobs} edits={edits} onEdit={setEdits} />
        )}
        {tab === 'ask' && <AskStore store={store} />}
      </Tabs>
      {renaming && <StoreForm store={store} onClose={() => setRenaming(false)} />}
    </Page>
  );
}

function Facts({ store }: { store: Store }): ReactNode {
  return (
    <dl className={css.facts}>
      <div>
        <dt>{t('knowledge.state')}</dt>
        <dd>
          <StateBadge state={store.status} />
        </dd>
      </div>
      <div>
        <dt>{t('knowledge.passages')}</dt>
        <dd>{number(store.totalChunks)}</dd>
      </div>
      <div>
        <dt>{t('knowledge.characters')}</dt>
        <dd>{number(store.totalChars)}</dd>
      </div>
      <div>
        <dt>{t('knowledge.usedBy')}</dt>
        <dd>
          {store.whereUsed.length === 0 ? (
            <span className="muted">{t('knowledge.usedByNone')}</span>
          ) : (
            store.whereUsed.map(({ id, name, draft }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link href={`/flows/${id}`}>{name}</Link>
                {draft && <DraftMark />}
              </span>
            ))
          )}
        </dd>
      </div>
    </dl>
  );
}
