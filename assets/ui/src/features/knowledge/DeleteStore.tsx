import type { ReactNode } from 'react';
import { useDeleteStore, useStore, type Store } from '../../api/stores';
import { ConfirmDialog, toast } from '../../ui';
import { t } from './words';

/** Asks before a store goes, and names the flows that would find nothing any more. */
export function DeleteStore(props: { store: Store; onClose: () => void; onDone?: () => void }): ReactNode {
  const { store, onClose, onDone } = props;
  const remove = useDeleteStore();
  // Only a store that is read by itself tells who uses it.
  const uses = useStore(store.id).data?.whereUsed ?? [];
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('knowledge.deleteTitle', { name: store.name })}
      confirm={t('knowledge.delete')}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(
          { id: store.id, force: uses.length > 0 },
          {
            onSuccess: () => {
              toast(t('knowledge.deleted', { name: store.name }));
              onClose();
              onDone?.();
            },
          },
        )
      }
    >
      <p>{t('knowledge.deleteText')}</p>
      {uses.length > 0 && (
        <>
          <p>{t('knowledge.deleteUsed')}</p>
          <ul>
            {uses.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
