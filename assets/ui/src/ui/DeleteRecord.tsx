import type { ReactNode } from 'react';
import { t } from '../i18n';
import { ConfirmDialog } from './Dialog';
import { toast } from './Toast';
import { FlowNames, type FlowUses } from './UsedBy';

/** What sends a delete: a mutation, as far as a dialog needs it. */
export interface Deletion {
  isPending: boolean;
  error: Error | null;
  /** `force`: although flows use it. */
  mutate: (removal: { id: string; force?: boolean }, options: { onSuccess: () => void }) => void;
  /** Forgets what became of the last one. */
  reset: () => void;
}

export interface DeleteRecordProps {
  /** Whose texts it has. */
  texts:
    | 'apiKeys'
    | 'assistants'
    | 'credentials'
    | 'knowledge'
    | 'pipelines'
    | 'roles'
    | 'templates'
    | 'toolServers'
    | 'tools'
    | 'variables'
    | 'workspaces';
  id: string;
  name: string;
  remove: Deletion;
  /** The flows that use it; left out for what flows do not use. */
  affected?: { text: string; flows: FlowUses | undefined };
  onClose: () => void;
}

/** Asks before a record is deleted, and tells a refusal where it was asked. */
export function DeleteRecord(props: DeleteRecordProps): ReactNode {
  const { texts, id, name, remove, affected, onClose } = props;
  const flows = affected?.flows;
  const named = Boolean(flows?.count);
  // The service asks before it deletes what flows use. Who read which they are has answered already; else they are named
  // now, and the next click is the answer.
  const asked = affected !== undefined && isConflict(remove.error);
  const close = (): void => {
    remove.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t(`${texts}.deleteTitle`, { name })}
      confirm={t(`${texts}.deleteConfirm`)}
      busy={remove.isPending}
      error={asked ? t('kit.usedMeanwhile') : (remove.error?.message ?? null)}
      onConfirm={() =>
        remove.mutate(affected ? { id, force: named || asked } : { id }, {
          onSuccess: () => {
            toast(t(`${texts}.deleted`, { name }));
            close();
          },
        })
      }
    >
      <p>{t(`${texts}.deleteText`)}</p>
      {affected && flows && named && (
        <div>
          <p>{affected.text}</p>
          <FlowNames count={flows.count} flows={flows.flows} />
        </div>
      )}
    </ConfirmDialog>
  );
}

const isConflict = (error: Error | null): boolean =>
  error !== null && 'status' in error && error.status === 409;
