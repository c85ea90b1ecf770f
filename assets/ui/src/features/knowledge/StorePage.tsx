import { ArrowLeft, Library, Pencil, Workflow } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useCreateFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import { useStore, type Store } from '../../api/stores';
import { number } from '../../core/format';
import {
  Banner,
  Button,
  EmptyState,
  later,
  Loaded,
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
import { StateBadge } from './state';
import { StoreForm } from './StoreForm';
import { useJobs } from './useJobs';
import { t } from './words';

const Passages = later(() => import('./Passages'));
const SearchSettings = later(() => import('./SearchSettings'));
const AskStore = later(() => import('./AskStore'));

const names = ['documents', 'passages', 'search', 'ask'] as const;
type Name = (typeof names)[number];

/** A document store: what is in it, how it is cut, what makes it findable, and what is found. */
export function StorePage({ id, parts }: { id: string; parts: KnowledgeParts }): ReactNode {
  const store = useStore(id);
  if (store.error && 'status' in store.error && store.error.status === 404)
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
      <Link href="/knowledge" className={css.back}>
        <ArrowLeft size={14} aria-hidden /> {t('knowledge.back')}
      </Link>
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
            {can('chatflows:create') && <UseInFlow store={store} parts={parts} />}
          </>
        }
      />
      <Facts store={store} />
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
            store.whereUsed.map(({ id, name }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link href={`/flows/${id}`}>{name}</Link>
              </span>
            ))
          )}
        </dd>
      </div>
    </dl>
  );
}

/** Makes a flow that answers from the store, and goes there. */
function UseInFlow({ store, parts }: { store: Store; parts: KnowledgeParts }): ReactNode {
  const create = useCreateFlow();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [, go] = useLocation();
  const make = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const flowData = await parts.canvasFor(store.id);
      const name = t('knowledge.useName', { name: store.name });
      const flow = await create.mutateAsync({ name, type: 'CHATFLOW', ...(flowData ? { flowData } : {}) });
      go(`/flows/${flow.id}`);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <>
      {fault && <Banner tone="danger">{t('knowledge.useFailed', { reason: fault })}</Banner>}
      <Button icon={Workflow} busy={busy} onClick={() => void make()}>
        {t('knowledge.use')}
      </Button>
    </>
  );
}
