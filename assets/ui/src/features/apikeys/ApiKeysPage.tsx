import { KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { list } from '../../core/format';
import { useApiKeys, useDeleteApiKey, usePermissions, type ApiKey } from '../../api/apiKeys';
import { useMissingPermissions } from '../../api/me';
import { t } from '../../i18n';
import { dateColumn, OnceDialog, PermissionList, ResourcePage } from '../../ui';
import { KeyForm } from './KeyForm';
import './words';

/** The keys of the workspace. */
export default function ApiKeysPage(): ReactNode {
  const missing = useMissingPermissions('apikeys');
  const catalogue = usePermissions('API_KEY', !missing.view).data;
  const [created, setCreated] = useState<ApiKey | null>(null);
  return (
    <>
      <ResourcePage
        texts="apiKeys"
        icon={KeyRound}
        query={useApiKeys(!missing.view)}
        missing={missing}
        name={(row) => row.keyName}
        words={(row) => [row.keyName, row.apiKey, ...row.chatFlows.map((flow) => flow.flowName)]}
        columns={[
          { id: 'key', header: t('apiKeys.key'), wideOnly: true, cell: (row) => <code>{row.apiKey}</code> },
          {
            id: 'permissions',
            header: t('apiKeys.permissions'),
            cell: (row) => (
              <PermissionList permissions={row.permissions} name={row.keyName} catalogue={catalogue} />
            ),
          },
          {
            id: 'bound',
            header: t('apiKeys.bound'),
            wideOnly: true,
            cell: ({ chatFlows }) =>
              chatFlows.length === 0 ? (
                <span className="muted">{t('apiKeys.none')}</span>
              ) : (
                <span title={list(chatFlows.map((flow) => flow.flowName))}>
                  {t('kit.flowCount', { count: chatFlows.length })}
                </span>
              ),
          },
          {
            id: 'usage',
            header: t('apiKeys.usage'),
            align: 'end',
            wideOnly: true,
            cell: ({ usage }) =>
              usage === 0 ? (
                <span className="muted">{t('apiKeys.never')}</span>
              ) : (
                t('apiKeys.usageTimes', { count: usage })
              ),
          },
          dateColumn(t('apiKeys.created'), (row: ApiKey) => row.createdDate),
        ]}
        remove={useDeleteApiKey()}
        affected={{ text: t('apiKeys.deleteUsed'), flows: boundFlows }}
        form={(row, close) => (
          <KeyForm
            apiKey={row}
            onClose={close}
            onMade={(key) => {
              close();
              setCreated(key);
            }}
          />
        )}
      />
      {created && (
        <OnceDialog
          title={t('apiKeys.onceTitle', { name: created.keyName })}
          text={t('apiKeys.once')}
          label={t('apiKeys.key')}
          value={created.apiKey}
          copy={t('apiKeys.copy')}
          stored={t('apiKeys.stored')}
          onDone={() => setCreated(null)}
        />
      )}
    </>
  );
}

/** The flows that stop answering without a key; they have no ids here. */
const boundFlows = ({ chatFlows }: ApiKey) => ({
  count: chatFlows.length,
  drafts: 0,
  flows: chatFlows.map(({ flowName }, at) => ({ id: String(at), name: flowName, draft: false })),
});
