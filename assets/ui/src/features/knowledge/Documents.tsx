import { FileText, Plus, RefreshCw, Settings2, TextQuote, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useCan } from '../../api/me';
import { processLoader, useRemoveLoader, type Store, type StoreLoader } from '../../api/stores';
import { number } from '../../core/format';
import { Button, ConfirmDialog, cx, EmptyState, later, List, RowMenu, toast, useAddress } from '../../ui';
import { JobLine } from './JobLine';
import css from './Knowledge.module.css';
import { useFileDrop } from './files';
import type { KnowledgeParts } from './parts';
import { StateBadge } from './state';
import type { JobWork, Jobs } from './useJobs';
import { t } from './words';

const LoaderForm = later(() => import('./LoaderForm'), null);

/** How high a document is about, in pixels. */
const DOCUMENT = 66;

export interface DocumentsProps {
  store: Store;
  parts: KnowledgeParts;
  jobs: Jobs;
}

type Open =
  { dialog: 'new'; files: readonly File[] } | { dialog: 'settings' | 'remove'; loader: StoreLoader };

/** What the store is made of. Each document says how it stands, and what went wrong with it. */
export function Documents({ store, parts, jobs }: DocumentsProps): ReactNode {
  const [open, setOpen] = useState<Open | null>(null);
  const can = useCan();
  const mayAdd = can('documentStores:add-loader');
  const mayRun = can('documentStores:preview-process');
  const { running } = jobs;
  const close = (): void => setOpen(null);
  const drop = useFileDrop((files) => mayAdd && setOpen({ dialog: 'new', files }));
  const runnable = store.loaders.filter(({ pipeline }) => pipeline === undefined);
  const work = ({ id, loaderName }: Pick<StoreLoader, 'id' | 'loaderName'>): JobWork => ({
    key: id,
    work: async (signal, tell) => {
      await processLoader(store.id, id, signal, tell);
      return t('knowledge.processed', { name: loaderName });
    },
  });
  const add = mayAdd && (
    <Button
      variant="primary"
      icon={Plus}
      disabled={running !== null}
      onClick={() => setOpen({ dialog: 'new', files: [] })}
    >
      {t('knowledge.add')}
    </Button>
  );
  return (
    <div className={cx(css.documents, drop.over && css.dropping)} {...drop.handlers}>
      {store.loaders.length === 0 ? (
        <EmptyState icon={FileText} title={t('knowledge.noDocuments')} actions={add}>
          {t('knowledge.noDocumentsText')}
        </EmptyState>
      ) : (
        <>
          <div className={css.tools}>
            <p className="muted">{mayAdd && t('knowledge.documentsText')}</p>
            {mayRun && runnable.length > 0 && (
              <Button
                icon={RefreshCw}
                disabled={running !== null}
                onClick={() => jobs.run(runnable.map(work))}
              >
                {t('knowledge.processAll')}
              </Button>
            )}
            {add}
          </div>
          <List
            rows={store.loaders}
            rowKey={(loader) => loader.id}
            label={t('knowledge.documents')}
            className={css.list}
            itemClassName={css.document}
            guess={DOCUMENT}
          >
            {(loader) => (
              <DocumentRow
                loader={loader}
                jobs={jobs}
                mayAdd={mayAdd}
                mayRun={mayRun}
                onRun={() => jobs.run([work(loader)])}
                onOpen={(dialog) => setOpen({ dialog, loader })}
              />
            )}
          </List>
        </>
      )}
      {open?.dialog === 'new' && (
        <LoaderForm
          store={store}
          parts={parts}
          loader={null}
          files={open.files}
          onClose={close}
          onSaved={(saved) => jobs.run(saved.map(work))}
        />
      )}
      {open?.dialog === 'settings' && (
        <LoaderForm
          store={store}
          parts={parts}
          loader={open.loader}
          files={[]}
          onClose={close}
          onSaved={(saved) => jobs.run(saved.map(work))}
        />
      )}
      {open?.dialog === 'remove' && <RemoveDocument store={store} loader={open.loader} onClose={close} />}
    </div>
  );
}

interface RowProps {
  loader: StoreLoader;
  jobs: Jobs;
  mayAdd: boolean;
  mayRun: boolean;
  onRun: () => void;
  onOpen: (dialog: 'settings' | 'remove') => void;
}

function DocumentRow({ loader, jobs, mayAdd, mayRun, onRun, onOpen }: RowProps): ReactNode {
  const { put } = useAddress();
  const can = useCan();
  const { running, faults } = jobs;
  const mine = running?.key === loader.id;
  const fault = faults.get(loader.id);
  const processed = loader.status === 'SYNC';
  return (
    <>
      <div className={css.documentHead}>
        <span className={css.name}>
          <strong>{loader.loaderName || loader.loaderId}</strong>
          <span className={css.about}>
            {loader.splitterName ?? t('knowledge.notCut')}
            {' · '}
            {number(loader.totalChunks)} {t('knowledge.passages').toLowerCase()}
            {' · '}
            {number(loader.totalChars)} {t('knowledge.characters').toLowerCase()}
          </span>
        </span>
        {!mine && <StateBadge state={loader.status} />}
        {loader.pipeline !== undefined && (
          <Link href={`/flows/${loader.pipeline}/runs`}>{t('knowledge.itsPipeline')}</Link>
        )}
        {mayRun && loader.pipeline === undefined && (
          <Button size="compact" icon={RefreshCw} disabled={running !== null} onClick={onRun}>
            {t(processed ? 'knowledge.processAgain' : 'knowledge.process')}
            <span className="sr-only"> {loader.loaderName}</span>
          </Button>
        )}
        <RowMenu
          name={loader.loaderName || loader.loaderId}
          items={[
            {
              label: t('knowledge.showPassages'),
              icon: TextQuote,
              onSelect: () => put({ tab: 'passages', document: loader.id }),
            },
            {
              label: t('knowledge.settings'),
              icon: Settings2,
              disabled: !mayAdd || running !== null || loader.pipeline !== undefined,
              onSelect: () => onOpen('settings'),
            },
            {
              label: t('knowledge.remove'),
              icon: Trash2,
              danger: true,
              disabled: !can('documentStores:delete-loader') || mine,
              onSelect: () => onOpen('remove'),
            },
          ]}
        />
      </div>
      {mine && <JobLine progress={running.progress} onStop={jobs.stop} />}
      {fault && (
        <p role="alert" className={css.fault}>
          {t('knowledge.failedHere', { reason: fault })}
        </p>
      )}
    </>
  );
}

function RemoveDocument(props: { store: Store; loader: StoreLoader; onClose: () => void }): ReactNode {
  const { store, loader, onClose } = props;
  const remove = useRemoveLoader();
  const name = loader.loaderName;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('knowledge.removeTitle', { name })}
      confirm={t('knowledge.remove')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(
          { id: store.id, loader: loader.id },
          {
            onSuccess: () => {
              toast(t('knowledge.removed', { name }));
              onClose();
            },
          },
        )
      }
    >
      {t('knowledge.removeText')}
    </ConfirmDialog>
  );
}
