import { useState, type ReactNode } from 'react';
import type { McpServer, ToolWords } from '../../../api/mcpServers';
import type { Flow } from '../../../api/models';
import { isToolName, toolNameOf } from '../../../core/mcp';
import { Banner, Field, Input, TextArea, toast, useUnsaved } from '../../../ui';
import { SettingSection } from '../SettingSection';
import { t } from './words';

/** The most characters of a description. */
const DESCRIPTION_MAX = 2000;

/** A call that makes the tool or changes its words. */
export interface Sending {
  isPending: boolean;
  error: Error | null;
  mutate: (words: ToolWords, options: { onSuccess: () => void }) => void;
  reset: () => void;
}

export interface ToolWordsFormProps {
  flow: Flow;
  /** How it stands; without a name it is no tool yet. */
  server: McpServer;
  mayEdit: boolean;
  isLive: boolean;
  sending: Sending;
}

/** Name and description of the tool. Before there is one, saving them makes it. */
export function ToolWordsForm({ flow, server, mayEdit, isLive, sending }: ToolWordsFormProps): ReactNode {
  const isTool = server.toolName !== '';
  const [edits, setEdits] = useState<ToolWords | null>(null);
  const stored: ToolWords = {
    toolName: isTool ? server.toolName : toolNameOf(flow.name),
    description: server.description,
  };
  const { toolName, description } = edits ?? stored;
  const dirty = edits !== null && (toolName !== stored.toolName || description !== stored.description);
  useUnsaved(dirty, `/flows/${flow.id}/settings`);
  const set = (change: Partial<ToolWords>): void => {
    if (sending.error) sending.reset();
    setEdits({ toolName, description, ...change });
  };
  const length = [...description.trim()].length;
  const named = isToolName(toolName);
  const described = length > 0 && length <= DESCRIPTION_MAX;
  const refused = placeRefusal(sending.error);
  return (
    <SettingSection
      title={t(isTool ? 'mcp.words' : 'mcp.title')}
      description={t(isTool ? 'mcp.wordsText' : 'mcp.text')}
      state={{
        dirty,
        busy: sending.isPending,
        error: refused?.field === null ? refused.message : null,
        save: () =>
          sending.mutate(
            { toolName, description },
            {
              onSuccess: () => {
                setEdits(null);
                if (isTool) toast(t('flowsettings.saved'));
              },
            },
          ),
        reset: () => {
          sending.reset();
          setEdits(null);
        },
      }}
      valid={named && described}
      mayEdit={mayEdit}
      action={isTool ? undefined : t('mcp.make')}
    >
      {!isTool && !isLive && <Banner tone="warning">{t('mcp.notLive')}</Banner>}
      <Field
        label={t('mcp.name')}
        help={t('mcp.nameHelp')}
        error={named ? (refused?.field === 'toolName' ? refused.message : null) : t('mcp.nameBad')}
        required
      >
        <Input
          value={toolName}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => set({ toolName: event.target.value })}
        />
      </Field>
      <Field
        label={t('mcp.description')}
        error={
          // An empty field is an error only once something was in it.
          dirty && !described && (length > 0 || stored.description !== '')
            ? t('mcp.descriptionBad', { count: DESCRIPTION_MAX })
            : refused?.field === 'description'
              ? refused.message
              : null
        }
        required
      >
        <TextArea
          rows={3}
          value={description}
          placeholder={t('mcp.descriptionHint')}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
    </SettingSection>
  );
}

interface PlacedRefusal {
  /** Null: it is of the form as a whole. */
  field: keyof ToolWords | null;
  message: string;
}

/** Beside which field a refusal belongs: a name that is taken is the only conflict there is. */
function placeRefusal(error: Error | null): PlacedRefusal | null {
  if (!error) return null;
  const { message } = error;
  if ('status' in error && error.status === 409) return { field: 'toolName', message };
  const field = (['toolName', 'description'] as const).find((name) => message.includes(`'${name}'`));
  return { field: field ?? null, message };
}
