import { FileUp, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useCards } from '../../api/cards';
import {
  useSaveLoader,
  useStoreCards,
  type LoaderEdit,
  type Store,
  type StoreLoader,
} from '../../api/stores';
import { bytes as sizeOf } from '../../core/format';
import type { Json } from '../../core/nodes';
import {
  Banner,
  Button,
  Choices,
  Combobox,
  cx,
  Field,
  FormDialog,
  IconButton,
  Input,
  toast,
  useForm,
} from '../../ui';
import { readFile, useFileDrop, type ReadFile } from './files';
import css from './Knowledge.module.css';
import { CARDS, firstValues, isLocal, kinds, nameFor, NOT_ASKED, SPLITTER, type Kind } from './kinds';
import type { KnowledgeParts } from './parts';
import { Preview } from './Preview';
import { t } from './words';

export interface LoaderFormProps {
  store: Store;
  parts: KnowledgeParts;
  /** Null for new documents. */
  loader: StoreLoader | null;
  /** What was dropped. */
  files: readonly File[];
  onClose: () => void;
  /** They are stored, and have to be processed. */
  onSaved: (loaders: readonly StoreLoader[]) => void;
}

/** Where documents come from and how they are cut, with the bounds of passages drawn in their text. */
export default function LoaderForm(props: LoaderFormProps): ReactNode {
  const { store, parts, loader, files: dropped, onClose, onSaved } = props;
  const save = useSaveLoader();
  const form = useForm(
    {
      kind: 'file' as Kind,
      card: loader?.loaderId ?? CARDS.file,
      values: valuesOf(loader),
      name: loader?.loaderName ?? '',
      splitter: loader ? (loader.splitterId ?? '') : SPLITTER,
      cut: (loader ? (loader.splitterConfig ?? {}) : { chunkSize: 1000, chunkOverlap: 200 }) as Json,
      files: [] as readonly ReadFile[],
    },
    {
      check: ({ kind, files }) =>
        !loader && kind === 'file' && files.length === 0 ? { files: t('knowledge.neededFile') } : {},
      send: async () => {
        const saved: StoreLoader[] = [];
        for (const edit of edits()) saved.push(await save.mutateAsync(edit));
        if (!loader) toast(t('knowledge.added', { count: saved.length }));
        onClose();
        onSaved(saved);
      },
    },
  );
  const { kind, card, values, name, splitter, cut, files } = form.values;
  const splitters = useSplitters();
  const cards = useStoreCards('loaders').data ?? [];
  const asFiles = !loader && kind === 'file';
  const edit = (more: Json, called: string): LoaderEdit => {
    const { credential, ...loaderConfig } = { ...values, ...more };
    return {
      storeId: store.id,
      ...(loader ? { id: loader.id } : {}),
      loaderId: card,
      loaderName: called,
      loaderConfig,
      splitterId: splitter,
      splitterConfig: splitter ? cut : {},
      ...(typeof credential === 'string' && credential ? { credential } : {}),
    };
  };
  const label = cards.find((one) => one.name === card)?.label ?? card;
  const edits = (): LoaderEdit[] =>
    asFiles
      ? files.map((file) =>
          edit({ file: file.uri }, name.trim() && files.length === 1 ? name.trim() : file.name),
        )
      : [edit({}, name.trim() || nameFor(values) || label)];
  const pick = (next: Kind): void => {
    form.set('kind', next);
    form.set('card', CARDS[next]);
    form.set('values', firstValues(next));
  };
  const first = edits()[0];
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={loader ? t('knowledge.settingsOf', { name: loader.loaderName }) : t('knowledge.addTitle')}
      action={t(loader ? 'knowledge.saveAndProcess' : 'knowledge.addAndProcess')}
      drawer={960}
    >
      {!loader && (
        <Choices
          label={t('knowledge.source')}
          value={kind}
          onChange={pick}
          options={kinds.map((value) => ({
            value,
            label: t(`knowledge.${value}`),
            description: t(`knowledge.${value}Text`),
          }))}
        />
      )}
      {!loader && kind === 'other' && (
        <Field label={t('knowledge.chooseCard')}>
          <Combobox
            value={card}
            onChange={(next) => {
              form.set('card', next);
              form.set('values', {});
            }}
            options={cards.map((one) => ({ value: one.name, label: one.label }))}
          />
        </Field>
      )}
      {asFiles && (
        <FilePick
          first={dropped}
          files={files}
          onChange={(next) => form.set('files', next)}
          error={form.errors.files ?? null}
        />
      )}
      {card && (
        <parts.CardSettings
          key={card + kind}
          card={card}
          values={values}
          onChange={(next) => form.set('values', next)}
          without={
            asFiles ? [...NOT_ASKED, 'file'] : kind === 'page' && !loader ? NOT_ASKED.concat(SITE) : NOT_ASKED
          }
        />
      )}
      {loader?.loaderId === CARDS.file && <p className="note">{t('knowledge.replaceHelp')}</p>}
      <Field label={t('knowledge.documentName')} optional help={t('knowledge.documentNameHelp')}>
        <Input value={name} maxLength={255} onChange={(event) => form.set('name', event.target.value)} />
      </Field>
      <section className={css.cutting} aria-label={t('knowledge.splitter')}>
        <h3>{t('knowledge.splitter')}</h3>
        <div className={css.beside}>
          <div className={css.cutFields}>
            <Field
              label={t('knowledge.splitterCard')}
              help={splitter === '' ? t('knowledge.notCutText') : undefined}
            >
              <Combobox
                value={splitter}
                onChange={(next) => {
                  form.set('splitter', next);
                  form.set('cut', {});
                }}
                options={[{ value: '', label: t('knowledge.notCut') }, ...splitters]}
              />
            </Field>
            {splitter && (
              <parts.CardSettings
                key={splitter}
                card={splitter}
                values={cut}
                onChange={(next) => form.set('cut', next)}
              />
            )}
          </div>
          {first && <Preview edit={first} alone={isLocal(card)} />}
          {!first && <Banner tone="info">{t('knowledge.neededFile')}</Banner>}
        </div>
      </section>
    </FormDialog>
  );
}

/** What makes a site of a page. */
const SITE = ['relativeLinksMethod', 'limit', 'selectedLinks'];

const valuesOf = (loader: StoreLoader | null): Json =>
  loader ? { ...loader.loaderConfig, ...(loader.credential ? { credential: loader.credential } : {}) } : {};

/** The cards that cut texts. */
function useSplitters(): { value: string; label: string }[] {
  const cards = useCards().data;
  return useMemo(
    () =>
      (cards ?? [])
        .filter(({ category }) => category === 'Text Splitters')
        .map(({ name, label }) => ({ value: name, label })),
    [cards],
  );
}

interface FilePickProps {
  first: readonly File[];
  files: readonly ReadFile[];
  onChange: (files: readonly ReadFile[]) => void;
  error: string | null;
}

function FilePick({ first, files, onChange, error }: FilePickProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const now = useRef({ files, onChange });
  useEffect(() => {
    now.current = { files, onChange };
  });
  const take = async (taken: readonly File[]): Promise<void> => {
    if (taken.length === 0) return;
    try {
      const read = await Promise.all(taken.map(readFile));
      setFault(null);
      now.current.onChange([...now.current.files, ...read]);
    } catch (cause) {
      setFault(cause instanceof Error ? cause.message : String(cause));
    }
  };
  const drop = useFileDrop((taken) => void take(taken));
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void take(first);
  });
  return (
    <div className={cx(css.pick, drop.over && css.dropping)} {...drop.handlers}>
      <p>{t('knowledge.dropHere')}</p>
      {files.length > 0 && (
        <ul className={css.files}>
          {files.map((file, at) => (
            <li key={`${file.name} ${at}`}>
              <span className="clipped">{file.name}</span> <span className="muted">{sizeOf(file.size)}</span>
              <IconButton
                icon={X}
                size="compact"
                label={t('knowledge.removeFile', { name: file.name })}
                onClick={() => onChange(files.filter((_, here) => here !== at))}
              />
            </li>
          ))}
        </ul>
      )}
      <Button icon={FileUp} onClick={() => input.current?.click()}>
        {t('knowledge.chooseFiles')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={t('knowledge.dropFiles')}
        onChange={(event) => {
          void take([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {(fault ?? error) && (
        <p role="alert" className={css.fault} data-error tabIndex={-1}>
          {fault ?? error}
        </p>
      )}
    </div>
  );
}
