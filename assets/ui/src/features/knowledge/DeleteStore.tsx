import type { ReactNode } from 'react';
import { useDeleteStore, type Store } from '../../api/stores';
import { DeleteRecord, type FlowUses } from '../../ui';
import { t } from './words';

/** Asks before a store goes, and names the flows that would find nothing any more. */
export function DeleteStore(props: {
  store: Store;
  flows: FlowUses | undefined;
  onClose: () => void;
}): ReactNode {
  const { store, flows, onClose } = props;
  return (
    <DeleteRecord
      texts="knowledge"
      id={store.id}
      name={store.name}
      remove={useDeleteStore()}
      affected={{ text: t('knowledge.deleteUsed'), flows }}
      onClose={onClose}
    />
  );
}
