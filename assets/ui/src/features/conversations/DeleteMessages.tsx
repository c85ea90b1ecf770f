import type { ReactNode } from 'react';
import { useCounts, useDeleteMessages, type MessageFilter } from '../../api/conversations';
import { ConfirmDialog, Spinner, toast } from '../../ui';
import { t } from './words';

export interface DeleteMessagesProps {
  flow: string;
  /** One conversation, or what filters show. */
  filter: MessageFilter;
  onClose: () => void;
  onDone?: () => void;
}

/** Says how many messages would go before they are deleted. */
export function DeleteMessages({ flow, filter, onClose, onDone }: DeleteMessagesProps): ReactNode {
  const counts = useCounts(flow, filter);
  const remove = useDeleteMessages(flow);
  const alone = filter.chatId !== undefined;
  const count = counts.data?.totalMessages ?? 0;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t(alone ? 'conversations.deleteTitle' : 'conversations.deleteFilterTitle')}
      confirm={t('conversations.deleteConfirm', { count })}
      disabled={count === 0}
      busy={remove.isPending}
      error={remove.error?.message ?? counts.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(filter, {
          onSuccess: () => {
            toast(t('conversations.deleted', { count }));
            onClose();
            onDone?.();
          },
        })
      }
    >
      {counts.data ? (
        <p>{t(alone ? 'conversations.deleteCount' : 'conversations.deleteCountAll', { count })}</p>
      ) : (
        <Spinner />
      )}
    </ConfirmDialog>
  );
}
