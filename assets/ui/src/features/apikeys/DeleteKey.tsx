import type { ReactNode } from 'react';
import { useDeleteApiKey, type ApiKey } from '../../api/apiKeys';
import { t } from '../../i18n';
import { DeleteDialog } from '../../ui';
import css from './ApiKeys.module.css';

/** Names the flows that stop answering. */
export function DeleteKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }): ReactNode {
  const remove = useDeleteApiKey();
  return (
    <DeleteDialog
      id={apiKey.id}
      remove={remove}
      onClose={onClose}
      named={apiKey.chatFlows.length > 0}
      title={t('apiKeys.deleteTitle', { name: apiKey.keyName })}
      confirm={t('apiKeys.deleteKey')}
      done={t('apiKeys.deleted', { name: apiKey.keyName })}
    >
      <p>{t('apiKeys.deleteText')}</p>
      {apiKey.chatFlows.length > 0 && (
        <div>
          <p>{t('apiKeys.deleteBound')}</p>
          <ul className={css.flows}>
            {apiKey.chatFlows.map((flow, at) => (
              <li key={at}>{flow.flowName}</li>
            ))}
          </ul>
        </div>
      )}
    </DeleteDialog>
  );
}
