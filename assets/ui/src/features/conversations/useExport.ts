import { useState } from 'react';
import {
  conversationsOf,
  transcripts,
  type ConversationFilter,
  type MessageFilter,
  type Transcript,
} from '../../api/conversations';
import { csv } from '../../core/csv';
import { download } from '../../core/download';
import { toast } from '../../ui';
import { t } from './words';

/** Which conversations a file is made of. */
export interface ExportScope {
  flows: readonly string[];
  filter: MessageFilter;
  /** What else chooses conversations: the service looks for them, and files do not know it. */
  search?: ConversationFilter | null;
  /** One alone. */
  chat?: string;
}

/** Makes files of what may have to be read first, and says why where that failed. */
export function useFiles() {
  const [busy, setBusy] = useState(false);
  const save = (name: string, type: string, text: () => Promise<string>) => (): void => {
    setBusy(true);
    text()
      .then(
        (made) => download(name, made, type),
        (fault: unknown) =>
          toast(
            t('conversations.exportFailed', {
              reason: fault instanceof Error ? fault.message : String(fault),
            }),
          ),
      )
      .finally(() => setBusy(false));
  };
  return { busy, save };
}

/** What hands conversations to the person as a file: all that the filters mean, not only the page in view. */
export function useExport({ flows, filter, search, chat }: ExportScope) {
  const { busy, save } = useFiles();
  /** Of one flow as the service gives it; of several, each says of which it is. */
  const all = async (): Promise<FlowTranscript[]> => {
    const found = search ? await conversationsOf(search) : null;
    const named = found && new Set(found.map(({ chatId }) => chatId));
    const asked = found ? flows.filter((flow) => found.some(({ flowId }) => flowId === flow)) : flows;
    const wanted = ({ id }: Transcript): boolean => (chat ? id === chat : named === null || named.has(id));
    const each = await Promise.all(asked.map((flow) => transcripts(flow, filter)));
    if (flows.length === 1) return each.flat().filter(wanted);
    return each.flatMap((some, at) =>
      some.filter(wanted).map((one) => ({ ...one, chatflowId: asked[at] ?? '' })),
    );
  };
  const text = async (): Promise<string> => JSON.stringify(await all(), null, 2);
  const [flow] = flows;
  return {
    busy,
    json: save('conversations.json', 'application/json', text),
    table: save('conversations.csv', 'text/csv', async () => csv(rowsOf(await all()))),
    /** The file that other products of this family make and read: of one flow, by the name they give it. */
    family: flow && flows.length === 1 ? save(`${flow}-Message.json`, 'application/json', text) : null,
  };
}

type FlowTranscript = Transcript & { chatflowId?: string };

const rowsOf = (all: readonly FlowTranscript[]): unknown[][] => [
  ['conversation', 'time', 'role', 'content', 'source', 'session', 'visitor', 'rating', 'flow'],
  ...all.flatMap((one) =>
    one.messages.map((message) => [
      one.id,
      message.time,
      message.role,
      message.content,
      one.source,
      one.sessionId,
      one.email,
      message.feedback,
      one.chatflowId,
    ]),
  ),
];
