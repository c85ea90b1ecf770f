import type { ReactNode } from 'react';
import { ConfirmDialog } from './Dialog';
import { toast } from './Toast';
import { FlowNames, type UsedByProps } from './UsedBy';

/** What sends a delete: a mutation, as far as a dialog needs it. */
interface Deletion {
  isPending: boolean;
  error: { message: string } | null;
  mutate: (id: string, options: { onSuccess: () => void }) => void;
}

export interface DeleteDialogProps {
  /** What is deleted. */
  id: string;
  remove: Deletion;
  onClose: () => void;
  title: string;
  /** The verb: "Delete role". */
  confirm: string;
  /** What is said when it is gone. */
  done: string;
  children: ReactNode;
}

/** Asks before something is deleted, and tells a refusal where it was asked. */
export function DeleteDialog(props: DeleteDialogProps): ReactNode {
  const { id, remove, onClose, title, confirm, done, children } = props;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title}
      confirm={confirm}
      busy={remove.isPending}
      error={remove.error?.message ?? null}
      onConfirm={() =>
        remove.mutate(id, {
          onSuccess: () => {
            toast(done);
            onClose();
          },
        })
      }
    >
      {children}
    </ConfirmDialog>
  );
}

/** Names the flows that something is missed in once it is deleted; nothing when there are none. */
export function MissedIn(props: { text: string; used: Omit<UsedByProps, 'name'> | undefined }): ReactNode {
  const { text, used } = props;
  if (!used || used.count === 0) return null;
  return (
    <div>
      <p>{text}</p>
      <FlowNames {...used} />
    </div>
  );
}
