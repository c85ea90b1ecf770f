import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { ResourcePage, Tabs, useAddress, type Tab } from '../../ui';
import { ServerTools } from './ServerTools';
import { useServerList } from './useServerList';
import { useToolList } from './useToolList';
import css from './Tools.module.css';
import './words';

type Name = 'tools' | 'servers';

/** What agents may call: tools that were written here, and servers that bring theirs. */
export default function ToolsPage(): ReactNode {
  const { read, put } = useAddress();
  const value: Name = read('tab') === 'servers' ? 'servers' : 'tools';
  const tools = useToolList(value === 'tools');
  const { list: servers, shown } = useServerList(value === 'servers');
  const tabs: Tab<Name>[] = [
    { value: 'tools', label: t('tools.own') },
    { value: 'servers', label: t('toolServers.title') },
  ];
  const around = (list: ReactNode): ReactNode => (
    <Tabs<Name>
      label={t('tools.kinds')}
      value={value}
      onChange={(next) => put({ tab: next === 'tools' ? '' : next, q: '' })}
      tabs={tabs}
      panelClassName={css.panel}
    >
      {list}
    </Tabs>
  );
  // One page in the same place, so that the tabs keep the focus when another list is chosen.
  return (
    <>
      {value === 'tools' ? (
        <ResourcePage {...tools} around={around} />
      ) : (
        <ResourcePage {...servers} around={around} />
      )}
      {shown && <ServerTools key={shown.server.id} {...shown} />}
    </>
  );
}
