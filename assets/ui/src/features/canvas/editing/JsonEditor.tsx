import { CircleAlert, CircleCheck, CloudUpload, Save } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { prettyFlow } from '../../../core/flowtext';
import type { Key } from '../../../i18n';
import { Banner, Button, CodeField, ConfirmDialog, cx, later, toast } from '../../../ui';
import css from '../Editor.module.css';
import type { FlowSlotProps } from '../slots';
import type { Editing } from './useEditing';
import { t } from '../words';

const ConflictDialog = later(() => import('./ConflictDialog'), null);

export interface JsonEditorProps extends FlowSlotProps {
  editing: Editing;
  stored: string;
}

/** The canvas as text, checked while it is typed; saved to the draft, or to Live where there are no drafts. */
export default function JsonEditor(props: JsonEditorProps): ReactNode {
  const { editing, status, mayEdit, stored, flow, Canvas } = props;
  const { text, fault, failure, unsaved, state, local, begin, spread } = editing;
  const [place, setPlace] = useState<{ offset: number } | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [asking, setAsking] = useState(false);
  const [comparing, setComparing] = useState(false);
  const toLive = status.mode === 'live';
  useEffect(() => {
    if (text === null && mayEdit && !local) begin();
  }, [text, mayEdit, local, begin]);

  useEffect(() => spread(), [spread]);

  const save = async (): Promise<void> => {
    if (fault?.at) setPlace({ offset: fault.at.offset });
    if (fault || !unsaved) return;
    if (toLive) setAsking(true);
    else if (await editing.save()) toast(t('canvas.draftSaved'));
  };
  const saveLive = async (): Promise<void> => {
    if (await editing.save()) toast(t('canvas.liveSaved'));
    setAsking(false);
  };
  return (
    // Ctrl S saves from everywhere inside.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={css.json}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
          event.preventDefault();
          if (mayEdit) void save();
        }
      }}
    >
      {failure && (
        <Banner
          tone="danger"
          className={css.notice}
          title={t('canvas.notSavedTitle')}
          actions={
            failure.conflict ? (
              <>
                <Button size="compact" onClick={() => setComparing(true)}>
                  {t('canvas.compare')}
                </Button>
                <Button size="compact" onClick={() => void editing.discard()}>
                  {t('canvas.loadTheirs')}
                </Button>
                <Button size="compact" onClick={() => void editing.keepMine()}>
                  {t('canvas.keepMine')}
                </Button>
              </>
            ) : (
              <Button size="compact" onClick={() => void save()}>
                {t('kit.retry')}
              </Button>
            )
          }
        >
          {failure.message} {t('canvas.textKept')}
        </Banner>
      )}
      {comparing && (
        <ConflictDialog
          flow={flow}
          editing={editing}
          live={toLive}
          Canvas={Canvas}
          onClose={() => setComparing(false)}
        />
      )}
      <div className={css.text}>
        <CodeField
          aria-label={t('canvas.jsonOf', { name: flow.name })}
          language="json"
          value={text ?? prettyFlow(stored)}
          onChange={editing.change}
          readOnly={!mayEdit || local !== null}
          lineNumbers
          fill
          fault={fault?.at?.offset ?? null}
          reveal={place}
        />
      </div>
      <div className={css.jsonBar}>
        <span className={cx(css.jsonState, fault ? css.bad : css.good)} role="status">
          {fault ? <CircleAlert size={14} aria-hidden /> : <CircleCheck size={14} aria-hidden />}
          {fault ? faultText(fault) : t('canvas.isCanvas')}
        </span>
        {fault?.at && (
          <Button
            size="compact"
            variant="ghost"
            onClick={() => fault.at && setPlace({ offset: fault.at.offset })}
          >
            {t('canvas.goToLine', { line: fault.at.line })}
          </Button>
        )}
        {mayEdit && (
          <>
            <Button size="compact" disabled={!unsaved} onClick={() => setLeaving(true)}>
              {t('canvas.dropEdits')}
            </Button>
            <Button
              size="compact"
              variant="primary"
              icon={toLive ? CloudUpload : Save}
              disabled={!unsaved || fault !== null}
              busy={state === 'saving'}
              onClick={() => void save()}
            >
              {t(toLive ? 'canvas.saveLive' : 'canvas.saveDraft')}
            </Button>
          </>
        )}
      </div>
      <ConfirmDialog
        open={leaving}
        onClose={() => setLeaving(false)}
        onConfirm={() => {
          setLeaving(false);
          void editing.discard();
        }}
        title={t('canvas.dropTitle')}
        confirm={t('canvas.dropEdits')}
      >
        {t('canvas.dropText')}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => void saveLive()}
        title={t('canvas.liveTitle')}
        confirm={t('canvas.saveLive')}
        danger={false}
        busy={state === 'saving'}
        error={failure?.message ?? null}
      >
        {t('canvas.liveText')}
      </ConfirmDialog>
    </div>
  );
}

function faultText(fault: NonNullable<Editing['fault']>): string {
  if (fault.at) return t('canvas.notJson', { line: fault.at.line, column: fault.at.column });
  return t(`canvas.fault.${fault.problem}` as Key);
}
