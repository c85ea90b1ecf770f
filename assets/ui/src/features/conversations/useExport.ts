import { useState } from 'react';
import { leadsOf, transcripts, type MessageFilter, type Transcript } from '../../api/conversations';
import { download } from '../../core/download';
import { toast } from '../../ui';
import { csv } from './view';
import { t } from './words';

/** What hands conversations to the person as a file: all that the filters mean, not only the page in view. */
export function useExport(flow: string, filter: MessageFilter) {
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
  return {
    busy,
    json: save('conversations.json', 'application/json', async () =>
      JSON.stringify(await transcripts(flow, filter), null, 2),
    ),
    table: save('conversations.csv', 'text/csv', async () => csv(rowsOf(await transcripts(flow, filter)))),
    visitors: save('visitors.csv', 'text/csv', async () => {
      const rows = await leadsOf(flow);
      const head = ['time', 'name', 'email', 'phone', 'conversation'];
      return csv([head, ...rows.map((one) => [one.createdDate, one.name, one.email, one.phone, one.chatId])]);
    }),
  };
}

const rowsOf = (all: readonly Transcript[]): unknown[][] => [
  ['conversation', 'time', 'role', 'content', 'source', 'session', 'visitor', 'rating'],
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
    ]),
  ),
];
