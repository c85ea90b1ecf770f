import { ListTree, Pencil, SearchX, TextQuote, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useCan } from '../../api/me';
import {
  pageOfPassage,
  PASSAGES,
  useEditPassage,
  usePassages,
  usePassageSearch,
  useRemovePassage,
  type Passage,
  type Store,
} from '../../api/stores';
import { isObject } from '../../core/nodes';
import { pageOf } from '../../core/paging';
import {
  Button,
  ConfirmDialog,
  EmptyState,
  Field,
  FormDialog,
  IconButton,
  Loaded,
  Pager,
  SearchField,
  Select,
  TextArea,
  toast,
  Toolbar,
  useAddress,
  useForm,
  useSettled,
} from '../../ui';
import css from './Knowledge.module.css';
import { t } from './words';

type Open = { dialog: 'edit' | 'remove'; passage: Passage };

/** The passages of a store, a page at a time, or those that have some words in them. */
export default function Passages({ store }: { store: Store }): ReactNode {
  const { read, put, go } = useAddress();
  const [open, setOpen] = useState<Open | null>(null);
  const mayEdit = useCan()('documentStores:update');
  const asked = read('document');
  const loader = store.loaders.some(({ id }) => id === asked) ? asked : 'all';
  const page = pageOf(read('page'));
  const words = read('find');
  const found = useSettled(words.trim());
  const query = usePassages(store.id, loader, page, !found);
  const close = (): void => setOpen(null);
  const list = (passages: readonly Passage[], rest?: Partial<PassageRowProps>): ReactNode => (
    <ol className={css.list} aria-label={t('knowledge.passages')}>
      {passages.map((passage) => (
        <PassageRow
          key={passage.id}
          passage={passage}
          here={read('passage') === passage.id}
          name={store.loaders.find(({ id }) => id === passage.docId)?.loaderName ?? ''}
          mayEdit={mayEdit}
          onOpen={(dialog) => setOpen({ dialog, passage })}
          {...rest}
        />
      ))}
    </ol>
  );
  if (store.totalChunks === 0)
    return (
      <EmptyState icon={TextQuote} title={t('knowledge.noPassages')}>
        {t('knowledge.noPassagesText')}
      </EmptyState>
    );
  return (
    <>
      <Toolbar label={t('knowledge.passages')}>
        <Select
          aria-label={t('knowledge.document')}
          value={loader}
          onChange={(next) => put({ document: next === 'all' ? '' : next, page: '', passage: '', from: '' })}
          options={[
            { value: 'all', label: t('knowledge.all') },
            ...store.loaders.map(({ id, loaderName, loaderId }) => ({
              value: id,
              label: loaderName || loaderId,
            })),
          ]}
        />
        <SearchField
          label={t('knowledge.findPassages')}
          value={words}
          onChange={(find) => put({ find, from: '', page: '', passage: '' })}
        />
      </Toolbar>
      {found ? (
        <Matches store={store} loader={loader} text={found}>
          {(passages) =>
            list(passages, {
              onShow: ({ chunkNo, id }) =>
                go({ find: '', from: '', page: pageOfPassage(chunkNo), passage: id }),
            })
          }
        </Matches>
      ) : (
        <Loaded query={query}>
          {(data) =>
            data.chunks.length === 0 ? (
              <EmptyState icon={TextQuote} title={t('knowledge.noPassages')}>
                {t('knowledge.noPassagesText')}
              </EmptyState>
            ) : (
              <>
                {list(data.chunks)}
                {data.count > PASSAGES && (
                  <Pager
                    page={page}
                    limit={PASSAGES}
                    total={data.count}
                    onPage={(next) => put({ page: next > 1 ? String(next) : '', passage: '' })}
                  />
                )}
              </>
            )
          }
        </Loaded>
      )}
      {open?.dialog === 'edit' && <PassageForm store={store} passage={open.passage} onClose={close} />}
      {open?.dialog === 'remove' && <RemovePassage store={store} passage={open.passage} onClose={close} />}
    </>
  );
}

interface MatchesProps {
  store: Store;
  loader: string;
  text: string;
  children: (passages: readonly Passage[]) => ReactNode;
}

/** Passages with a text in them. A search that read much says so and goes on where it stopped; Back is where it was before. */
function Matches({ store, loader, text, children }: MatchesProps): ReactNode {
  const { read, go } = useAddress();
  const query = usePassageSearch(store.id, loader, text, pageOf(read('from')));
  return (
    <Loaded query={query}>
      {({ chunks, next }) => (
        <>
          {chunks.length > 0 ? (
            children(chunks)
          ) : (
            <EmptyState
              icon={SearchX}
              title={t(next === null ? 'knowledge.noMatches' : 'knowledge.noMatchesYet')}
            >
              {t('knowledge.noMatchesText')}
            </EmptyState>
          )}
          {next !== null && (
            <Button onClick={() => go({ from: String(next) })}>{t('knowledge.lookFurther')}</Button>
          )}
        </>
      )}
    </Loaded>
  );
}

interface PassageRowProps {
  passage: Passage;
  /** It is the one that was looked for. */
  here: boolean;
  /** Of its document. */
  name: string;
  mayEdit: boolean;
  onOpen: (dialog: Open['dialog']) => void;
  /** Leads to where it stands among the others. */
  onShow?: (passage: Passage) => void;
}

function PassageRow({ passage, here, name, mayEdit, onOpen, onShow }: PassageRowProps): ReactNode {
  const { chunkNo, pageContent, metadata } = passage;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!here) return;
    row.current?.scrollIntoView({ block: 'center' });
    row.current?.focus({ preventScroll: true });
  }, [here]);
  const number = String(chunkNo);
  return (
    <li ref={row} className={css.passage} data-here={here || undefined} tabIndex={here ? -1 : undefined}>
      <div className={css.documentHead}>
        <span className={css.name}>
          <strong>{t('knowledge.passage', { number })}</strong>
          <span className={css.about}>{name}</span>
        </span>
        {onShow && (
          <IconButton
            icon={ListTree}
            size="compact"
            label={t('knowledge.showPassage', { number })}
            onClick={() => onShow(passage)}
          />
        )}
        {mayEdit && (
          <>
            <IconButton
              icon={Pencil}
              size="compact"
              label={t('knowledge.editPassage', { number })}
              onClick={() => onOpen('edit')}
            />
            <IconButton
              icon={Trash2}
              size="compact"
              label={`${t('knowledge.remove')} ${t('knowledge.passage', { number })}`}
              onClick={() => onOpen('remove')}
            />
          </>
        )}
      </div>
      <p className={css.words}>{pageContent}</p>
      <Metadata of={metadata} />
    </li>
  );
}

/** Where a passage is from, as its metadata say. */
export function Metadata({ of }: { of: Record<string, unknown> }): ReactNode {
  const { loc, ...rest } = of;
  const lines = linesOf(loc);
  const told = Object.entries(lines ? rest : of).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  if (told.length === 0 && !lines) return null;
  return (
    <p className={css.metadata}>
      {lines && <span>{lines}</span>}
      {told.map(([name, value]) => (
        <span key={name}>
          {name}: <code>{value}</code>
        </span>
      ))}
    </p>
  );
}

/** Which lines of its document a passage is. */
function linesOf(loc: unknown): string | null {
  const lines = isObject(loc) && Object.keys(loc).length === 1 ? loc.lines : null;
  if (!isObject(lines) || typeof lines.from !== 'number' || typeof lines.to !== 'number') return null;
  const { from, to } = lines;
  return from === to ? t('knowledge.line', { from }) : t('knowledge.lines', { from, to });
}

function PassageForm(props: { store: Store; passage: Passage; onClose: () => void }): ReactNode {
  const { store, passage, onClose } = props;
  const edit = useEditPassage();
  const number = String(passage.chunkNo);
  const form = useForm(
    { text: passage.pageContent, metadata: JSON.stringify(passage.metadata, null, 2) },
    {
      check: ({ text, metadata }) => ({
        ...(text.trim() ? {} : { text: t('kit.needed') }),
        ...(parse(metadata) ? {} : { metadata: t('knowledge.metadataBad') }),
      }),
      send: async ({ text, metadata }) => {
        await edit.mutateAsync({
          path: { id: store.id, loader: passage.docId, chunk: passage.id },
          body: { pageContent: text, metadata: parse(metadata) ?? {} },
        });
        toast(t('knowledge.passageSaved', { number }));
        onClose();
      },
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('knowledge.editPassage', { number })}
      action={t('knowledge.save')}
      size="large"
    >
      <Field label={t('knowledge.passageText')} error={form.errors.text}>
        <TextArea
          rows={12}
          value={form.values.text}
          onChange={(event) => form.set('text', event.target.value)}
        />
      </Field>
      <Field label={t('knowledge.metadata')} error={form.errors.metadata}>
        <TextArea
          rows={4}
          spellCheck={false}
          value={form.values.metadata}
          onChange={(event) => form.set('metadata', event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text.trim() || '{}');
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

function RemovePassage(props: { store: Store; passage: Passage; onClose: () => void }): ReactNode {
  const { store, passage, onClose } = props;
  const remove = useRemovePassage();
  const number = String(passage.chunkNo);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('knowledge.removeTitle', { name: t('knowledge.passage', { number }) })}
      confirm={t('knowledge.remove')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(
          { id: store.id, loader: passage.docId, chunk: passage.id },
          {
            onSuccess: () => {
              toast(t('knowledge.passageDeleted', { number }));
              onClose();
            },
          },
        )
      }
    >
      <p className={css.words}>{passage.pageContent.slice(0, 300)}</p>
    </ConfirmDialog>
  );
}
