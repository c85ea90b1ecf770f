import { CloudUpload } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { FlowEdits } from '../../../core/editing';
import { Button, ConfirmDialog, toast } from '../../../ui';
import { usePageKeys } from './usePageKeys';
import { t } from '../words';

/** Where there are no drafts nothing is saved by itself: everybody who asks would get it at once. */
export function SaveLive({ editing }: { editing: Pick<FlowEdits, 'state' | 'unsaved' | 'save'> }): ReactNode {
  const [asking, setAsking] = useState(false);
  const save = async (): Promise<void> => {
    if (await editing.save()) toast(t('canvas.liveSaved'));
    setAsking(false);
  };
  usePageKeys({ s: () => editing.unsaved && setAsking(true) });
  return (
    <>
      <Button
        size="compact"
        icon={CloudUpload}
        disabled={!editing.unsaved}
        busy={editing.state === 'saving'}
        onClick={() => setAsking(true)}
      >
        {t('canvas.saveLive')}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => void save()}
        title={t('canvas.liveTitle')}
        confirm={t('canvas.saveLive')}
        danger={false}
      >
        {t('canvas.liveText')}
      </ConfirmDialog>
    </>
  );
}
