import type { ReactNode } from 'react';
import { useAssistantCards } from '../../api/assistants';
import { nextTool, type Tool } from './details';
import { Items } from './Items';
import type { AssistantParts } from './parts';
import { t } from './words';

export interface ToolsProps {
  tools: readonly Tool[];
  readOnly: boolean;
  parts: AssistantParts;
  onChange: (tools: Tool[]) => void;
}

/** What the assistant may call. */
export function Tools({ tools, readOnly, parts, onChange }: ToolsProps): ReactNode {
  const { data: cards, error } = useAssistantCards('tools');
  const put = (key: number, config: Tool['config']): void =>
    onChange(tools.map((tool) => (tool.key === key ? { ...tool, config } : tool)));
  return (
    <Items
      title={t('assistants.tools')}
      description={t('assistants.toolsText')}
      none={t('assistants.toolsNone')}
      readOnly={readOnly}
      items={tools.map(({ key, name, config }) => {
        const card = cards?.find((one) => one.name === name);
        return {
          key,
          name: card?.label ?? name,
          about: card?.description,
          body: (
            <parts.CardSettings
              card={name}
              values={config}
              readOnly={readOnly}
              onChange={(next) => put(key, next)}
            />
          ),
          remove: () => onChange(tools.filter((tool) => tool.key !== key)),
        };
      })}
      add={{
        label: t('assistants.addTool'),
        options: cards?.map(({ name, label, description }) => ({ value: name, label, description })),
        failure: error?.message ?? null,
        pick: (name) => onChange([...tools, nextTool(name, tools)]),
      }}
    />
  );
}
