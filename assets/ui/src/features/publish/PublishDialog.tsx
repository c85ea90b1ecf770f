import { useQueryClient } from '@tanstack/react-query';
import { Columns2, GitCompareArrows, RotateCw } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useProblems, type CardProblem } from '../../api/canvas';
import { ApiError } from '../../api/client';
import { useDraft, useFlow } from '../../api/flows';
import { cached } from '../../api/keys';
import type { DraftStatus, Flow } from '../../api/models';
import { useDraftChanges, usePublish, type PublishResult } from '../../api/versions';
import { diffCanvas, isEmpty } from '../../core/canvasDiff';
import { relativeTime } from '../../core/format';
import { hasCards } from '../../core/nodes';
import {
  Banner,
  Button,
  ChangeList,
  ChangeSentences,
  changeSum,
  Checkbox,
  Dialog,
  focusCardSoon,
  Loaded,
  scrollRegion,
  Tabs,
  toast,
  useDialogGuard,
  useMedia,
  usePref,
} from '../../ui';
import { ChangedNote } from './ChangedNote';
import type { PublishParts } from './parts';
import css from './Publish.module.css';
import { ScheduleNote } from './ScheduleNote';
import { t } from './words';

export interface PublishDialogProps {
  flow: Flow;
  /** The last edits could not be saved: what is published lacks them. */
  unsaved: boolean;
  onClose: () => void;
  goToNode: (id: string) => void;
  parts: PublishParts;
}

type DialogTab = 'changes' | 'check';

/** What Publish does to Live, shown before it is done. */
export default function PublishDialog(props: PublishDialogProps): ReactNode {
  const { unsaved, parts } = props;
  const { id, name } = props.flow;
  const [, go] = useLocation();
  const client = useQueryClient();
  const flow = useFlow(id);
  const status = useDraft(id);
  const publish = usePublish(id);
  const [replace, setReplace] = useState(false);
  /** The date of the draft that the person looks at, and the only one that is published. */
  const [seen, see] = useState<string | null>(null);
  const [unrecorded, setUnrecorded] = useState<PublishResult | null>(null);
  const [tab, setTab] = useState<DialogTab>('changes');
  const [typed, setTyped] = useState(false);
  const { close, mayClose, warning } = useDialogGuard(typed, publish.isPending, props.onClose);

  const both = {
    data: flow.data && status.data && { flow: flow.data, status: status.data },
    error: flow.error ?? status.error,
    refetch: () => Promise.all([flow.refetch(), status.refetch()]),
  };
  const draft = status.data?.draft ?? null;
  if (seen === null && draft && !status.isFetching) see(draft.updatedDate);
  const stale = Boolean(draft?.stale);
  // While it is published it ends, and that is no news.
  const changed = seen !== null && draft?.updatedDate !== seen && !publish.isPending;
  const error = publish.error;
  const moved = error instanceof ApiError && error.status === 409;

  const done = (result: PublishResult): void => {
    if (result.historyError) return setUnrecorded(result);
    close();
    if (result.unchanged) return toast(t('publish.nothing'));
    const sha = result.version?.sha;
    const view = {
      label: t('publish.viewVersion'),
      onClick: () => go(`/flows/${id}/versions?v=${sha ?? ''}`),
    };
    toast(sha ? { text: t('publish.done'), action: view } : t('publish.done'));
  };
  const again = (): void => {
    publish.reset();
    setReplace(false);
    see(null);
    void client.invalidateQueries({ queryKey: cached.flow(id) });
    void client.invalidateQueries({ queryKey: cached.draft(id) });
  };

  const goToNode = (node: string): void => {
    close();
    props.goToNode(node);
    focusCardSoon(node);
  };

  if (unrecorded) {
    return (
      <Dialog
        open
        onClose={close}
        title={t('publish.title', { name })}
        footer={<Button onClick={close}>{t('kit.close')}</Button>}
      >
        <Banner tone="warning" title={t('publish.doneUnrecorded')}>
          {t('publish.doneUnrecordedText', { reason: unrecorded.historyError ?? '' })}
        </Banner>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={close}
      mayClose={mayClose}
      size="full"
      title={t('publish.title', { name })}
      footer={
        <>
          {warning}
          <Button onClick={close} disabled={publish.isPending}>
            {t('kit.cancel')}
          </Button>
          <Button
            variant="primary"
            busy={publish.isPending}
            disabled={!draft || seen === null || changed || (stale && !replace) || moved}
            onClick={() =>
              seen !== null && publish.mutate({ seen, replace: stale && replace }, { onSuccess: done })
            }
          >
            {t('publish.publish')}
          </Button>
        </>
      }
    >
      {changed && <ChangedNote draft={draft} onLook={again} />}
      {error && !changed && (
        <Banner
          tone="danger"
          title={error.message}
          actions={
            moved && (
              <Button size="compact" icon={RotateCw} onClick={again}>
                {t('publish.again')}
              </Button>
            )
          }
        />
      )}
      {unsaved && <Banner tone="warning">{t('publish.unsaved')}</Banner>}
      <Loaded query={both}>
        {(data) => (
          <>
            {stale && (
              <Banner tone="warning" title={t('publish.staleTitle')}>
                <p>{t('publish.staleText', { time: relativeTime(data.flow.updatedDate) })}</p>
                <Checkbox
                  checked={replace}
                  onChange={setReplace}
                  label={t('publish.replace')}
                  help={t('publish.replaceHelp')}
                />
              </Banner>
            )}
            <Tabs<DialogTab>
              label={t('publish.parts')}
              value={tab}
              onChange={setTab}
              tabs={[
                { value: 'changes', label: t('publish.tab.changes') },
                { value: 'check', label: t('publish.tab.check') },
              ]}
            >
              {tab === 'check' ? (
                <parts.Check flow={data.flow} goToNode={goToNode} onTyped={setTyped} />
              ) : (
                <Review
                  {...data}
                  goToNode={goToNode}
                  onClose={close}
                  onCheck={() => setTab('check')}
                  parts={parts}
                />
              )}
            </Tabs>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

interface ReviewProps {
  flow: Flow;
  status: DraftStatus;
  goToNode: (id: string) => void;
  onClose: () => void;
  onCheck: () => void;
  parts: PublishParts;
}

function Review({ flow, status, goToNode, onClose, onCheck, parts }: ReviewProps): ReactNode {
  const draft = status.draft?.flowData ?? null;
  const found = useProblems(flow.id, status.draft?.updatedDate ?? '').data;
  const told = useDraftChanges(flow, status.draft?.updatedDate ?? null).data;
  const sentences = told?.sentences ?? noSentences;
  const diff = useMemo(() => diffCanvas(flow.flowData, draft), [flow.flowData, draft]);
  const problems = draft === null ? [] : (found ?? []);
  const [, go] = useLocation();
  const compare = (): void => {
    onClose();
    go(`/flows/${flow.id}/versions?v=draft`);
  };
  const live = hasCards(flow.flowData);
  const isNew = !live && status.lastPublished === null;
  const [canvases, showCanvases] = usePref('publishCanvases', 'on', ['off', 'on']);
  const [selected, select] = useState<string | null>(null);
  const wide = useMedia('(width >= 768px)');
  const heading = t(isNew ? 'publish.goesLive' : 'publish.changes');
  const drawn = canvases === 'on' && draft !== null && live;
  return (
    <div className={css.review}>
      {problems.length > 0 && <Problems problems={problems} onNode={goToNode} />}
      {draft !== null && <parts.CheckLine flow={flow.id} onOpen={onCheck} />}
      {draft !== null && <ScheduleNote flow={flow.id} draft={draft} />}
      <section className={css.part} aria-label={heading}>
        <header className={css.partHead}>
          <h3>{heading}</h3>
          <span className={css.muted}>
            {draft === null ? t('publish.nothing') : !isNew && changeSum(diff)}
          </span>
          {draft !== null && live && (
            <span className={css.tools}>
              <Button
                size="compact"
                icon={Columns2}
                aria-expanded={drawn}
                onClick={() => showCanvases(drawn ? 'off' : 'on')}
              >
                {t('publish.bothCanvases')}
              </Button>
              <Button size="compact" icon={GitCompareArrows} onClick={compare}>
                {t('publish.inVersions')}
              </Button>
            </span>
          )}
        </header>
        {isNew && draft !== null && (
          <p className={css.muted}>{t(hasCards(draft) ? 'publish.first' : 'publish.firstEmpty')}</p>
        )}
        {sentences.length > 0 && (
          <div ref={scrollRegion} className={css.told}>
            <ChangeSentences sentences={sentences} />
          </div>
        )}
        {drawn && (
          <parts.Canvases
            before={wide ? flow.flowData : null}
            after={draft}
            diff={diff}
            selected={selected}
            onSelect={select}
          />
        )}
        {draft !== null &&
          !isNew &&
          (isEmpty(diff) ? (
            <p className={css.muted}>{t('changes.none')}</p>
          ) : (
            // A region that scrolls must be reachable by keyboard.
            // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            <div className={css.changes} role="group" aria-label={t('publish.changes')} tabIndex={0}>
              <ChangeList diff={diff} sentences={sentences} told {...(drawn ? { onNode: select } : {})} />
            </div>
          ))}
      </section>
    </div>
  );
}

const noSentences: readonly string[] = [];

function Problems(props: { problems: readonly CardProblem[]; onNode: (id: string) => void }): ReactNode {
  const { problems, onNode } = props;
  const count = problems.reduce((sum, one) => sum + one.issues.length, 0);
  return (
    <Banner tone="warning" title={t('publish.problems', { count })}>
      <p>{t('publish.problemsText')}</p>
      <ul className={css.problems}>
        {problems.flatMap(({ id, label, issues }) =>
          issues.map((issue) => (
            <li key={`${id} ${issue}`}>
              {id ? (
                <button type="button" className={css.problem} onClick={() => onNode(id)}>
                  <span className={css.link}>{label}</span>: {issue}
                </button>
              ) : (
                <>
                  <span className={css.strong}>{t('publish.whole')}</span>: {issue}
                </>
              )}
            </li>
          )),
        )}
      </ul>
    </Banner>
  );
}
