import {
  CircleCheck,
  CircleDashed,
  CircleX,
  CopyPlus,
  RefreshCw,
  Rocket,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import {
  useImportFile,
  useImportPreview,
  usePublishEach,
  type Existing,
  type ImportFile,
  type ImportItem,
  type ImportResult,
  type PublishResults,
} from '../../api/transfer';
import type { Key } from '../../i18n';
import {
  Badge,
  Banner,
  Button,
  Dialog,
  Field,
  Loaded,
  scrollRegion,
  Select,
  type BadgeProps,
} from '../../ui';
import css from './Import.module.css';
import { kindOf } from './kind';
import { flowsIn, homeOf, tellings, unpublished } from './report';
import { t } from './words';

export interface ImportDialogProps {
  file: ImportFile;
  /** What an import would do while nothing else is chosen. */
  preview: ImportResult;
  onClose: () => void;
}

/** What a file would bring, before it does; then what it brought, and Publish for all of it that can run. */
export default function ImportDialog({ file, preview: first, onClose }: ImportDialogProps): ReactNode {
  const [existing, setExisting] = useState<Existing>('skip');
  const preview = useImportPreview(file, existing, first);
  const importing = useImportFile();
  const publishing = usePublishEach();
  const done = importing.data;
  const busy = importing.isPending || publishing.isPending;
  const coming = preview.data ? preview.data.created + preview.data.updated : 0;
  const isHere = first.items.some(({ choices }) => choices?.includes('duplicate'));
  const flows = done ? flowsIn(done) : [];
  return (
    <Dialog
      open
      onClose={onClose}
      size="large"
      mayClose={() => !busy}
      title={t(done ? 'flows.importDone' : 'flows.importTitle', { file: file.name })}
      footer={
        done ? (
          <>
            <Button onClick={onClose} disabled={busy}>
              {t('kit.close')}
            </Button>
            {flows.length > 0 && !publishing.data && (
              <Button variant="primary" icon={Rocket} busy={busy} onClick={() => publishing.mutate(flows)}>
                {t('flows.publishAll')}
              </Button>
            )}
          </>
        ) : (
          <>
            <Button onClick={onClose} disabled={busy}>
              {t('kit.cancel')}
            </Button>
            <Button
              variant="primary"
              busy={busy}
              disabled={coming === 0}
              onClick={() => importing.mutate({ file, existing })}
            >
              {t('flows.importCount', { count: coming })}
            </Button>
          </>
        )
      }
    >
      {(importing.error ?? publishing.error) && (
        <Banner tone="danger">{(importing.error ?? publishing.error)?.message}</Banner>
      )}
      {!done && isHere && (
        <Field label={t('flows.existing')}>
          <Select<Existing>
            value={existing}
            onChange={setExisting}
            options={(['skip', 'update', 'duplicate'] as const).map((value) => ({
              value,
              label: t(`flows.existing.${value}`),
              description: t(`flows.existingHelp.${value}`),
            }))}
          />
        </Field>
      )}
      {publishing.data && <PublishReport results={publishing.data} />}
      {done ? (
        <Report result={done} isDone />
      ) : (
        <Loaded query={preview}>{(data) => <Report result={data} />}</Loaded>
      )}
    </Dialog>
  );
}

function Report({ result, isDone = false }: { result: ImportResult; isDone?: boolean }): ReactNode {
  const { created, updated, skipped, refused, unsupported, items } = result;
  const sums = [
    [created, isDone ? 'flows.sumCreated' : 'flows.sumCreate'],
    [updated, isDone ? 'flows.sumUpdated' : 'flows.sumUpdate'],
    [skipped, 'flows.sumSkipped'],
    [refused, 'flows.sumRefused'],
  ] as const;
  return (
    <>
      <p role="status">
        {sums
          .filter(([count]) => count > 0)
          .map(([count, key]) => t(key, { count }))
          .join(' · ') || t('flows.sumNothing')}
      </p>
      {unsupported.length > 0 && (
        <Banner tone="warning" title={t('flows.unsupported')}>
          <ul className={css.plain}>
            {unsupported.map(({ what, name, count, flows }) => (
              <li key={`${what} ${name}`}>
                {t('flows.unsupportedCard', { count, name, flows: t('kit.flowCount', { count: flows }) })}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <ul ref={scrollRegion} className={css.items} aria-label={t('flows.inFile')}>
        {items.map((item, at) => (
          <Item key={`${item.id ?? ''} ${at}`} item={item} isDone={isDone} />
        ))}
      </ul>
    </>
  );
}

const looks: Record<
  ImportItem['action'],
  { tone: BadgeProps['tone']; icon: LucideIcon; done: Key; key: Key }
> = {
  create: { tone: 'success', icon: CircleCheck, key: 'flows.action.create', done: 'flows.acted.create' },
  duplicate: {
    tone: 'success',
    icon: CopyPlus,
    key: 'flows.action.duplicate',
    done: 'flows.acted.duplicate',
  },
  update: { tone: 'accent', icon: RefreshCw, key: 'flows.action.update', done: 'flows.acted.update' },
  skip: { tone: 'neutral', icon: CircleDashed, key: 'flows.action.skip', done: 'flows.action.skip' },
  refused: { tone: 'danger', icon: CircleX, key: 'flows.action.refused', done: 'flows.action.refused' },
};

function Item({ item, isDone }: { item: ImportItem; isDone: boolean }): ReactNode {
  const { tone, icon, key, done } = looks[item.action];
  const home = isDone && item.type && item.action !== 'refused' ? homeOf(item) : null;
  const name = item.name ?? t('flows.countOf', { count: item.count ?? 1, kind: item.kind });
  return (
    <li className={css.item}>
      <span className={css.head}>
        {home ? <Link href={`/flows/${home}`}>{name}</Link> : <span className={css.name}>{name}</span>}
        <span className="note">{item.type ? t(kindOf[item.type].one) : kindName(item.kind)}</span>
        <Badge tone={tone} icon={icon}>
          {t(isDone ? done : key)}
        </Badge>
      </span>
      {tellings(item).map((text) => (
        <span key={text} className="note">
          {text}
        </span>
      ))}
    </li>
  );
}

/** How many are Live now, and what keeps the others from it. */
function PublishReport({ results }: { results: PublishResults }): ReactNode {
  const left = unpublished(results);
  const good = results.published > 0 ? 'success' : 'info';
  return (
    <Banner
      tone={left.length > 0 ? 'warning' : good}
      title={t('flows.publishedAll', { count: results.published })}
    >
      {left.length > 0 && (
        <>
          <p>{t('flows.notPublished', { count: left.length })}</p>
          <ul className={css.plain}>
            {left.map(({ id, name, why }) => (
              <li key={id}>
                <Link href={`/flows/${id}`}>{name ?? id}</Link>: {why.join(' ')}
              </li>
            ))}
          </ul>
        </>
      )}
    </Banner>
  );
}

const groups: Record<string, Key> = {
  ChatFlow: 'flows.chatflow',
  AgentFlow: 'flows.legacy',
  AgentFlowV2: 'flows.agentflow',
  AssistantFlow: 'flows.assistant',
  AssistantOpenAI: 'flows.hostedAssistant',
  AssistantAzure: 'flows.hostedAssistant',
  Tool: 'flows.tool',
  Variable: 'flows.variable',
  DocumentStore: 'flows.documentStore',
  CustomTemplate: 'flows.template',
};

const kindName = (kind: string): string => (groups[kind] ? t(groups[kind]) : kind);
