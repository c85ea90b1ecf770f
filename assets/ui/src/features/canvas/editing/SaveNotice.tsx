import { useState, type ReactNode } from 'react';
import { Banner, Button, later } from '../../../ui';
import css from '../Editor.module.css';
import type { FlowSlotProps } from '../slots';
import type { Editing } from './useEditing';
import { t } from '../words';

const ConflictDialog = later(() => import('./ConflictDialog'), null);

export interface SaveNoticeProps extends FlowSlotProps {
  editing: Editing;
}

/** Says that edits were not saved, why, and what can be done. */
export function SaveNotice({ editing, flow, status, Canvas }: SaveNoticeProps): ReactNode {
  const { failure } = editing;
  const [comparing, setComparing] = useState(false);
  const live = status.mode === 'live';
  return (
    <>
      {failure?.conflict && (
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
      )}
      {/* Without a connection the page says so itself, and saving goes on by itself. */}
      {failure && !failure.conflict && !failure.away && (
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
      )}
      {/* It stays while one of both is taken, which may be refused as well. */}
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
