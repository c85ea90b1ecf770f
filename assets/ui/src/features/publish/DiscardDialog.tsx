import type { ReactNode } from 'react';
import type { DraftStatus, Flow } from '../../api/models';
import { useDiscardDraft } from '../../api/versions';
import { diffCanvas } from '../../core/canvasDiff';
import { hasCards } from '../../core/nodes';
import { changeSum, ConfirmDialog, toast } from '../../ui';
import { t } from './words';

export interface DiscardDialogProps {
  flow: Flow;
  status: DraftStatus;
  unsaved: boolean;
  dropEdits: () => void;
  onClose: () => void;
}

export default function DiscardDialog(props: DiscardDialogProps): ReactNode {
  const { flow, status, unsaved, dropEdits, onClose } = props;
  const discard = useDiscardDraft(flow.id);
  const draft = status.draft?.flowData ?? null;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('publish.discardTitle')}
      confirm={t('publish.discard')}
      busy={discard.isPending}
      error={discard.error?.message ?? null}
      onConfirm={() =>
        discard.mutate(undefined, {
          onSuccess: () => {
            dropEdits();
            toast(t('publish.discarded'));
            onClose();
          },
        })
      }
    >
      <p>
        {hasCards(flow.flowData)
          ? t('publish.discardText', { sum: changeSum(diffCanvas(flow.flowData, draft)) })
          : t('publish.discardTextNew')}
      </p>
      {unsaved && <p>{t('publish.discardEdits')}</p>}
    </ConfirmDialog>
  );
}
