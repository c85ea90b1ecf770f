import { useState, type ReactNode } from 'react';
import { t } from '../../../i18n';
import { Banner, Button, later } from '../../../ui';
import css from '../Editor.module.css';
import type { FlowSlotProps } from '../slots';
import type { Editing } from './useEditing';

const ConflictDialog = later(() => import('./ConflictDialog'), null);

export interface SaveNoticeProps extends FlowSlotProps {
  editing: Editing;
}

/** Says that edits were not saved, why, and what can be done. */
export function SaveNotice({ editing, flow, status, Canvas }: SaveNoticeProps): ReactNode {
  const { failure } = editing;
  const [comparing, setComparing] = useState(false);
  const live = status.mode === 'live';
  // Without a connection the page says so itself, and saving goes on by itself.
  if (!failure || failure.away) return null;
  if (!failure.conflict)
    return (
      <Banner
        tone="danger"
        className={css.notice}
        title={t('canvas.notSavedTitle')}
        actions={
          <Button size="compact" onClick={() => void editing.save()}>
            {t('kit.retry')}
          </Button>
        }
      >
        {failure.message} {t('canvas.editsKept')}
      </Banner>
    );
  return (
    <>
      <Banner
        tone="danger"
        className={css.notice}
        title={t(live ? 'canvas.conflictTitleLive' : 'canvas.conflictTitle')}
        actions={
          <Button size="compact" variant="primary" onClick={() => setComparing(true)}>
            {t('canvas.compare')}
          </Button>
        }
      >
        {t('canvas.conflictText')}
      </Banner>
      {comparing && (
        <ConflictDialog
          flow={flow}
          editing={editing}
          live={live}
          Canvas={Canvas}
          onClose={() => setComparing(false)}
        />
      )}
    </>
  );
}
