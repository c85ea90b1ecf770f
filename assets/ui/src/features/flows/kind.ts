import { Bot, Database, MessageSquare, Network, Route, Waypoints, type LucideIcon } from 'lucide-react';
import type { FlowType } from '../../api/models';
import type { Key } from '../../i18n';
import type { Hue } from '../../ui';

export interface Kind {
  one: Key;
  many: Key;
  icon: LucideIcon;
  hue: Hue;
}

export const kindOf: Record<FlowType, Kind> = {
  CHATFLOW: { one: 'flows.chatflow', many: 'flows.chatflows', icon: MessageSquare, hue: 'model' },
  AGENTFLOW: { one: 'flows.agentflow', many: 'flows.agentflows', icon: Route, hue: 'agent' },
  HARNESS: { one: 'flows.harness', many: 'flows.harnesses', icon: Network, hue: 'tool' },
  ASSISTANT: { one: 'flows.assistant', many: 'flows.assistants', icon: Bot, hue: 'reply' },
  ETL: { one: 'flows.etl', many: 'flows.etls', icon: Database, hue: 'retriever' },
  MULTIAGENT: { one: 'flows.legacy', many: 'flows.legacies', icon: Waypoints, hue: 'none' },
};

/** The permissions that guard a kind of flow. */
export function permission(type: FlowType, action: 'create' | 'update' | 'delete'): string {
  const resource = { AGENTFLOW: 'agentflows', MULTIAGENT: 'agentflows', ASSISTANT: 'assistants' } as const;
  return `${type in resource ? resource[type as keyof typeof resource] : 'chatflows'}:${action}`;
}
