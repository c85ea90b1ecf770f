import { History, Undo2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { DraftStatus, Flow } from '../../api/models';
import {
  usePutBack,
  useVersion,
  useVersionDiff,
  type PutBack,
  type RestoreResult,
  type Version,
} from '../../api/versions';
import { t } from '../../i18n';
import { Banner, Button, changeSum, ConfirmDialog, Skeleton, toast } from '../../ui';
import css from './Versions.module.css';
import { withoutSettings } from './versions';

export interface ActionsProps {
  flow: Flow;
  status: DraftStatus;
  sha: string;
  /** Null when it is not among the listed ones. */
  version: Version | null;
  isLive: boolean;
  settingsOnly: boolean;
  /** Whether the Editor holds text that was not sent yet. */
  unsaved: boolean;
  dropEdits: () => void;
}

/** Restore and Roll back. What changes Live or replaces edits is asked first. */
export function Actions(props: ActionsProps): ReactNode {
  const { flow, status, sha, version, isLive, settingsOnly, unsaved, dropEdits } = props;
  const [asking, setAsking] = useState<PutBack | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const [, go] = useLocation();
  const putBack = usePutBack(flow.id);
  const read = useVersion(flow.id, sha).data;
  const toDraft = status.mode === 'draft';
  const otherKind = toDraft && read !== undefined && read.type !== flow.type;
  const id = sha.slice(0, 7);

  // Rolling back leaves a draft alone, and with it what is being edited.
  const replaces = (how: PutBack): boolean => how === 'restore' || !status.draft;

  const done = (restored: RestoreResult, how: PutBack): void => {
    setAsking(null);
    if (replaces(how)) dropEdits();
    if (restored.historyError) setNote(t('versions.notRecorded', { reason: restored.historyError }));
    if (restored.unchanged) return toast(t('versions.restoredSame'));
    const to = restored.restoredTo === 'draft' ? `/flows/${flow.id}` : `/flows/${flow.id}/versions`;
    toast({
      text: t(restored.restoredTo === 'draft' ? 'versions.restoredDraft' : 'versions.restoredLive', { id }),
      action: { label: t('versions.view'), onClick: () => go(to) },
    });
  };
  const run = (how: PutBack): void =>
    putBack.mutate({ sha, how }, { onSuccess: (restored) => done(restored, how) });

  if (settingsOnly) return null;
  if (isLive && !status.draft) return <p className={css.muted}>{t('versions.liveIsThis')}</p>;
  return (
    <>
      <div className={css.actions}>
        <Button
          icon={Undo2}
          disabled={otherKind || !read}
          busy={putBack.isPending && asking === null}
          aria-describedby={otherKind ? 'versions-other-kind' : undefined}
          onClick={() => (toDraft && !status.draft && !unsaved ? run('restore') : setAsking('restore'))}
        >
          {t(toDraft ? 'versions.restoreDraft' : 'versions.restoreLive')}
        </Button>
        {toDraft && !isLive && (
          <Button icon={History} disabled={!read} onClick={() => setAsking('rollback')}>
            {t('versions.rollBack')}
          </Button>
        )}
      </div>
      {otherKind && (
        <p id="versions-other-kind" className={css.wide}>
          {t('versions.otherKind')}
        </p>
      )}
      {note && (
        <Banner tone="warning" className={css.wide} onClose={() => setNote(null)}>
          {note}
        </Banner>
      )}
      {asking === null && putBack.error && (
        <Banner tone="danger" className={css.wide} title={putBack.error.message} />
      )}
      {asking && (
        <Ask
          flow={flow}
          status={status}
          sha={sha}
          title={version?.title ?? id}
          how={asking}
          losesEdits={unsaved && replaces(asking)}
          busy={putBack.isPending}
          error={putBack.error?.message ?? null}
          onConfirm={() => run(asking)}
          onClose={() => {
            setAsking(null);
            putBack.reset();
          }}
        />
      )}
    </>
  );
}

interface AskProps {
  flow: Flow;
  status: DraftStatus;
  sha: string;
  title: string;
  how: PutBack;
  losesEdits: boolean;
  busy: boolean;
  error: string | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** What will change, and what will have to be put right, before it is done. */
function Ask(props: AskProps): ReactNode {
  const { flow, status, sha, title, how, losesEdits, busy, error, onConfirm, onClose } = props;
  const toDraft = how === 'restore' && status.mode === 'draft';
  const read = useVersion(flow.id, sha).data;
  const told = useVersionDiff(flow.id, toDraft ? null : sha, 'current').data;
  const diff = told && withoutSettings(told);
  const id = sha.slice(0, 7);
  const words = toDraft
    ? (['versions.restoreDraftTitle', 'versions.restoreDraftText', 'versions.restoreDraft'] as const)
    : how === 'restore'
      ? (['versions.restoreLiveTitle', 'versions.rollBackText', 'versions.restoreLive'] as const)
      : (['versions.rollBackTitle', 'versions.rollBackText', 'versions.rollBack'] as const);
  const warnings = [
    ...(read?.missingCredentials ?? []).map((one) =>
      t('versions.missing', { name: one.name, type: one.credentialName }),
    ),
    ...(read?.ambiguousCredentials ?? [])
      .filter((one) => one.using === 'oldest')
      .map((one) => t('versions.ambiguous', { name: one.name, type: one.credentialName, count: one.count })),
    ...(read?.hiddenSecrets ?? []).map((one) =>
      t('versions.hiddenOf', { input: one.inputLabel || one.input, label: one.label }),
    ),
  ];
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={onConfirm}
      title={t(words[0])}
      confirm={t(words[2])}
      danger={!toDraft}
      busy={busy}
      disabled={!read}
      error={error}
    >
      <p>{t(words[1], { title, id })}</p>
      {!toDraft && !diff && <Skeleton lines={2} />}
      {!toDraft && diff && (
        <ul className={css.consequences}>
          <li>
            {changeSum(
              {
                ...diff,
                changed: diff.changed.map((node) => ({ ...node, fields: [] })),
                moved: diff.moved.map((node) => ({ id: node, label: node })),
                edges: [],
              },
              diff.edgesChanged,
            )}
          </li>
          {diff.renamed && <li>{t('versions.becomesName', { name: diff.renamed.to })}</li>}
          {read && read.type !== flow.type && <li>{t('versions.becomesKind', { kind: read.type })}</li>}
        </ul>
      )}
      {warnings.length > 0 && (
        <Banner tone="warning">
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Banner>
      )}
      {how === 'rollback' && status.draft && <p>{t('versions.draftKept')}</p>}
      {losesEdits && <p>{t('versions.editsLost')}</p>}
      <p className={css.muted}>{t('versions.settingsNote')}</p>
    </ConfirmDialog>
  );
}
