import type { ReactNode } from 'react';
import {
  useConversationCount,
  useDeleteConversations,
  type ConversationFilter,
} from '../../api/conversations';
import { ConfirmDialog, Spinner, toast } from '../../ui';
import { t } from './words';

export interface DeleteConversationsProps {
  /** One conversation, or what filters show, of one flow or of all. */
  filter: ConversationFilter;
  onClose: () => void;
  onDone?: () => void;
}

/** Says how many conversations and messages would go before they are deleted. */
export function DeleteConversations({ filter, onClose, onDone }: DeleteConversationsProps): ReactNode {
  const counts = useConversationCount(filter);
  const remove = useDeleteConversations();
  const alone = filter.chatId !== undefined;
  const { conversations: count, messages } = counts.data ?? { conversations: 0, messages: 0 };
  const what = { count, messages: t('conversations.messagesOf', { count: messages }) };
  const sum = t(counts.data ? 'conversations.deleteFilterTitle' : 'conversations.deleteFilter', what);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={alone ? t('conversations.deleteTitle') : sum}
      confirm={t('conversations.deleteConfirm', { count })}
      disabled={count === 0}
      busy={remove.isPending}
      error={remove.error?.message ?? counts.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(filter, {
          onSuccess: ({ affected }) => {
            toast(t('conversations.deleted', { count: affected }));
            onClose();
            onDone?.();
          },
        })
      }
    >
      {counts.data ? (
        <>
          <p>
            {alone
              ? t('conversations.deleteCount', { count: messages })
              : t('conversations.deleteCountAll', { count })}
          </p>
          {!filter.flowId && <p>{t('conversations.deleteAllFlows')}</p>}
        </>
      ) : counts.error ? null : (
        <Spinner />
      )}
    </ConfirmDialog>
  );
}
