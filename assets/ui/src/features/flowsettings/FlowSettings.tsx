import {
  Braces,
  CalendarClock,
  Globe,
  MessageSquare,
  Paperclip,
  Plug,
  SlidersHorizontal,
  Zap,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import type { DraftStatus, Flow } from '../../api/models';
import { parseFlow } from '../../core/flowdata';
import { t, type Key } from '../../i18n';
import { Banner, cx, later } from '../../ui';
import { Access } from './Access';
import { Chat } from './Chat';
import { CodeSection } from './CodeSection';
import { Files } from './Files';
import css from './FlowSettings.module.css';
import { OverrideSection } from './OverrideSection';
import { PublishSection } from './PublishSection';
import { ScheduleSection } from './ScheduleSection';
import './words';

export interface FlowSettingsProps {
  flow: Flow;
  status: DraftStatus;
  mayEdit: boolean;
}

const groups = [
  { id: 'access', label: 'flowsettings.access', icon: Globe },
  { id: 'chat', label: 'flowsettings.chat', icon: MessageSquare },
  { id: 'files', label: 'flowsettings.files', icon: Paperclip },
  { id: 'overrides', label: 'flowsettings.overridesShort', icon: SlidersHorizontal },
  { id: 'code', label: 'flowsettings.codeShort', icon: Braces },
  { id: 'mcp', label: 'flowsettings.mcp', icon: Plug },
  { id: 'schedule', label: 'flowsettings.schedule', icon: CalendarClock },
  { id: 'publishing', label: 'flowsettings.publishing', icon: Zap },
] as const satisfies readonly { id: string; label: Key; icon: LucideIcon }[];

/** Of little use to most flows, so its code comes when it is opened. */
const McpSection = later(() => import('./mcp/McpSection'));

type Group = (typeof groups)[number]['id'];

/** What a flow is set to beside its canvas. A group that was visited stays, so that edits in it do. */
export default function FlowSettings({ flow, status, mayEdit }: FlowSettingsProps): ReactNode {
  const asked = new URLSearchParams(useSearch()).get('section');
  const shown = groups.filter(
    ({ id }) =>
      (id !== 'schedule' || flow.type === 'AGENTFLOW') &&
      // A pipeline answers nobody.
      (id !== 'mcp' || flow.type !== 'ETL'),
  );
  const group: Group = shown.find((one) => one.id === asked)?.id ?? 'access';
  const [visited, setVisited] = useState<readonly Group[]>([group]);
  if (!visited.includes(group)) setVisited([...visited, group]);
  const shared = { flow, mayEdit };
  // Before the first Publish the service lists the draft's cards.
  const live = parseFlow(flow.flowData);
  const isLive = live.ok && live.flow.nodes.length > 0;
  const canvas = isLive ? flow.flowData : (status.draft?.flowData ?? flow.flowData);
  const content: Record<Group, ReactNode> = {
    access: <Access {...shared} />,
    chat: <Chat {...shared} />,
    files: <Files {...shared} />,
    overrides: <OverrideSection {...shared} canvas={canvas} />,
    code: <CodeSection {...shared} />,
    mcp: <McpSection {...shared} isLive={isLive} />,
    schedule: <ScheduleSection {...shared} />,
    publishing: <PublishSection {...shared} status={status} />,
  };
  return (
    <div className={css.page}>
      <nav className={css.nav} aria-label={t('flowsettings.title')}>
        {shown.map(({ id, label, icon: Icon }) => (
          <Link
            key={id}
            href={`/flows/${flow.id}/settings?section=${id}`}
            replace
            className={cx(css.entry, id === group && css.here)}
            aria-current={id === group ? 'page' : undefined}
          >
            <Icon size={15} aria-hidden />
            {t(label)}
          </Link>
        ))}
      </nav>
      <div className={css.content}>
        <Banner>{t('flowsettings.atOnce')}</Banner>
        {visited.map((id) => (
          <div key={id} className={css.group} hidden={id !== group}>
            {content[id]}
          </div>
        ))}
      </div>
    </div>
  );
}
