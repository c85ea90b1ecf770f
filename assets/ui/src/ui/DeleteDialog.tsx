import type { ReactNode } from 'react';
import { t } from '../i18n';
import { ConfirmDialog } from './Dialog';
import { toast } from './Toast';
import { FlowNames, type UsedByProps } from './UsedBy';

/** What is deleted, and whether although flows use it. */
export interface Removal {
  id: string;
  force?: boolean;
}

/** What sends a delete: a mutation, as far as a dialog needs it. */
interface Deletion {
  isPending: boolean;
  error: Error | null;
  mutate: (removal: Removal, options: { onSuccess: () => void }) => void;
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
  /** Whether the dialog names flows that use it; left out for what flows do not use. */
  named?: boolean;
  children: ReactNode;
}

/** Asks before something is deleted, and tells a refusal where it was asked. */
export function DeleteDialog(props: DeleteDialogProps): ReactNode {
  const { id, remove, onClose, title, confirm, done, named, children } = props;
  // The service asks before it deletes what flows use. Who read which they are has answered already; else they are named
  // now, and the next click is the answer.
  const asked = named !== undefined && isConflict(remove.error);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title}
      confirm={confirm}
      busy={remove.isPending}
      error={asked ? t('kit.usedMeanwhile') : (remove.error?.message ?? null)}
      onConfirm={() =>
        remove.mutate(named === undefined ? { id } : { id, force: named || asked }, {
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

const isConflict = (error: Error | null): boolean =>
  error !== null && 'status' in error && error.status === 409;

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
