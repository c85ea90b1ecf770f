import { RefreshCw, Save, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import {
  fillStore,
  useRemoveVectors,
  useSaveVectors,
  useStoreCards,
  type Store,
  type VectorCards,
} from '../../api/stores';
import { number } from '../../core/format';
import type { PickedCard } from '../../core/nodes';
import {
  Banner,
  Button,
  ConfirmDialog,
  Fields,
  PickCard,
  Section,
  toast,
  type PickCardProps,
} from '../../ui';
import { JobLine } from './JobLine';
import css from './Knowledge.module.css';
import type { Chosen, KnowledgeParts } from './parts';
import type { Jobs } from './useJobs';
import { t } from './words';

const nothing: PickedCard = { name: '', config: {} };
/** Built in, and works without anybody else. */
const BUILT_IN: PickedCard = { name: 'hashingEmbeddings', config: {} };

const chosenOf = (store: Store): Chosen => ({
  embedding: store.embeddingConfig ?? BUILT_IN,
  store: store.vectorStoreConfig ?? nothing,
  records: store.recordManagerConfig ?? nothing,
});

/** What makes passages findable: what embeds them, where their vectors are kept, and the filling. */
export default function SearchSettings(props: {
  store: Store;
  parts: KnowledgeParts;
  jobs: Jobs;
  /** What was chosen and is not saved yet. It stays while another tab is shown. */
  edits: Chosen | null;
  onEdit: (edits: Chosen | null) => void;
}): ReactNode {
  const { store, parts, jobs, edits, onEdit: setEdits } = props;
  const can = useCan();
  const mayChange = can('documentStores:upsert-config');
  const chosen = edits ?? chosenOf(store);
  const save = useSaveVectors();
  const [removing, setRemoving] = useState(false);
  const change = (part: keyof Chosen, picked: PickedCard): void => setEdits({ ...chosen, [part]: picked });
  const send = async (): Promise<boolean> => {
    try {
      await save.mutateAsync(bodyOf(store.id, chosen));
      setEdits(null);
      return true;
    } catch {
      // What was refused is told below the fields.
      return false;
    }
  };
  const fill = async (): Promise<void> => {
    if ((edits !== null || store.embeddingConfig === null) && !(await send())) return;
    jobs.run([
      {
        key: 'vectors',
        work: async (signal, tell) => {
          const { numAdded, numDeleted, numSkipped } = await fillStore(store.id, signal, tell);
          const [added, deleted, skipped] = [number(numAdded), number(numDeleted), number(numSkipped)];
          return t('knowledge.filled', { added, deleted, skipped });
        },
      },
    ]);
  };
  const busy = jobs.running !== null || save.isPending;
  const fills = jobs.running?.key === 'vectors';
  const fault = jobs.faults.get('vectors') ?? save.error?.message ?? null;
  const shared = { parts, readOnly: !mayChange };
  return (
    <Section
      title={t('knowledge.search')}
      description={t('knowledge.searchText')}
      actions={
        store.embeddingConfig &&
        mayChange && (
          <Button variant="ghost" icon={Trash2} disabled={busy} onClick={() => setRemoving(true)}>
            {t('knowledge.removeVectors')}
          </Button>
        )
      }
    >
      <Fields>
        <CardPick
          {...shared}
          label={t('knowledge.embeddings')}
          help={t('knowledge.embeddingsHelp')}
          group="embeddings"
          picked={chosen.embedding}
          onPick={(picked) => change('embedding', picked)}
        />
        <CardPick
          {...shared}
          label={t('knowledge.vectorStore')}
          help={t('knowledge.vectorStoreHelp')}
          group="vectorstore"
          none={t('knowledge.inStore')}
          picked={chosen.store}
          onPick={(picked) => change('store', picked)}
        />
        {chosen.store.name && (
          <CardPick
            {...shared}
            label={t('knowledge.recordManager')}
            help={t('knowledge.recordManagerHelp')}
            group="recordmanager"
            none={t('knowledge.noRecords')}
            picked={chosen.records}
            onPick={(picked) => change('records', picked)}
          />
        )}
      </Fields>
      {makesAnew(store, chosen) && <Banner tone="warning">{t('knowledge.otherEmbeddings')}</Banner>}
      {fault && <Banner tone="danger">{fault}</Banner>}
      {fills && <JobLine progress={jobs.running?.progress ?? null} onStop={jobs.stop} />}
      {mayChange && (
        <div className={css.foot}>
          <span className="muted">{t('knowledge.fillText')}</span>
          {edits && (
            <Button
              icon={Save}
              disabled={busy}
              onClick={() => void send().then((ok) => ok && toast(t('knowledge.saved')))}
            >
              {t('knowledge.save')}
            </Button>
          )}
          <Button
            variant="primary"
            icon={RefreshCw}
            disabled={busy || store.totalChunks === 0}
            onClick={() => void fill()}
          >
            {t(edits ? 'knowledge.saveAndFill' : 'knowledge.fill')}
          </Button>
        </div>
      )}
      {removing && <RemoveVectors store={store} onClose={() => setRemoving(false)} />}
    </Section>
  );
}

/** Whether vectors are there already, of embeddings that the chosen ones cannot be compared with. */
const makesAnew = ({ embeddingConfig, status, totalChunks }: Store, { embedding }: Chosen): boolean =>
  embeddingConfig !== null &&
  totalChunks > 0 &&
  status !== 'UPSERTING' &&
  (embedding.name !== embeddingConfig.name ||
    JSON.stringify(embedding.config) !== JSON.stringify(embeddingConfig.config));

const bodyOf = (storeId: string, { embedding, store, records }: Chosen): VectorCards => ({
  storeId,
  embeddingName: embedding.name,
  embeddingConfig: embedding.config,
  ...(store.name ? { vectorStoreName: store.name, vectorStoreConfig: store.config } : {}),
  ...(store.name && records.name
    ? { recordManagerName: records.name, recordManagerConfig: records.config }
    : {}),
});

interface CardPickProps extends Pick<
  PickCardProps,
  'readOnly' | 'label' | 'help' | 'none' | 'picked' | 'onPick'
> {
  parts: KnowledgeParts;
  group: 'embeddings' | 'vectorstore' | 'recordmanager';
}

/** Inputs that the store itself fills. */
const FILLED = ['document', 'embeddings', 'recordManager'];

function CardPick({ parts, group, ...rest }: CardPickProps): ReactNode {
  const cards = useStoreCards(group);
  // A store cannot stand for another one.
  const options = cards.data?.filter(({ name }) => name !== 'documentStoreVS');
  return (
    <PickCard
      {...rest}
      cards={options}
      failure={cards.error?.message ?? null}
      Settings={parts.CardSettings}
      without={FILLED}
    />
  );
}

function RemoveVectors({ store, onClose }: { store: Store; onClose: () => void }): ReactNode {
  const remove = useRemoveVectors();
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('knowledge.removeVectorsTitle')}
      confirm={t('knowledge.removeVectors')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() => remove.mutate(store.id, { onSuccess: onClose })}
    >
      {t('knowledge.removeVectorsText')}
    </ConfirmDialog>
  );
}
