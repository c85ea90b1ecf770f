import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { ResourcePage, useAddress, type ListTabs } from '../../ui';
import { ServerTools } from './ServerTools';
import { useServerList } from './useServerList';
import { useToolList } from './useToolList';
import './words';

/** What agents may call: tools that were written here, and servers that bring theirs. */
export default function ToolsPage(): ReactNode {
  const { read, put } = useAddress();
  const value = read('tab') === 'servers' ? 'servers' : 'tools';
  const tools = useToolList(value === 'tools');
  const { list: servers, shown } = useServerList(value === 'servers');
  const tabs: ListTabs = {
    label: t('tools.kinds'),
    value,
    onChange: (next) => put({ tab: next === 'tools' ? '' : next, q: '' }),
    tabs: [
      { value: 'tools', label: t('tools.own') },
      { value: 'servers', label: t('toolServers.title') },
    ],
  };
  if (value === 'tools') return <ResourcePage {...tools} tabs={tabs} />;
  return (
    <>
      <ResourcePage {...servers} tabs={tabs} />
      {shown && <ServerTools key={shown.server.id} {...shown} />}
    </>
  );
}
