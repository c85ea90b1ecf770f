import { MODEL } from '../../../core/recipe';
import type { RecipeStarter } from './index';

/** Flows that something else than a chat begins: a form, a call, a time. */
export const started: readonly RecipeStarter[] = [
  {
    id: 'form',
    use: 'text',
    type: 'AGENTFLOW',
    cards: [
      {
        id: 'start',
        card: 'startAgentflow',
        inputs: {
          startInputType: 'formInput',
          formTitle: 'A letter',
          formDescription: 'Say what it is about; the rest is written for you.',
          formInputTypes: [
            { type: 'string', label: 'To whom', name: 'to' },
            { type: 'string', label: 'What about', name: 'about' },
            {
              type: 'options',
              label: 'Tone',
              name: 'tone',
              addOptions: [{ option: 'friendly' }, { option: 'formal' }],
            },
          ],
        },
        to: [['write', 0]],
      },
      {
        id: 'write',
        card: 'llmAgentflow',
        label: 'Write it',
        inputs: {
          llmModel: MODEL,
          llmEnableMemory: false,
          llmMessages: [
            { role: 'system', content: 'Write a letter of at most eight sentences.' },
            {
              role: 'user',
              content: 'To: {{ $form.to }}\nAbout: {{ $form.about }}\nTone: {{ $form.tone }}',
            },
          ],
        },
      },
    ],
  },
  {
    id: 'hook',
    use: 'events',
    type: 'AGENTFLOW',
    cards: [
      {
        id: 'start',
        card: 'startAgentflow',
        inputs: {
          startInputType: 'webhookTrigger',
          webhookMethod: 'POST',
          webhookContentType: 'application/json',
          webhookInputMode: 'payload',
          webhookResponseMode: 'sync',
        },
        to: [['read', 0]],
      },
      {
        id: 'read',
        card: 'llmAgentflow',
        label: 'Sum it up',
        inputs: {
          llmModel: MODEL,
          llmEnableMemory: false,
          llmMessages: [
            { role: 'system', content: 'Sum up for a colleague what this event says, in one sentence.' },
            { role: 'user', content: '{{ question }}' },
          ],
        },
      },
    ],
  },
  {
    id: 'daily',
    use: 'events',
    type: 'AGENTFLOW',
    cards: [
      {
        id: 'start',
        card: 'startAgentflow',
        inputs: {
          startInputType: 'scheduleInput',
          scheduleType: 'visualPicker',
          scheduleFrequency: 'daily',
          scheduleOnTime: '08:00',
          scheduleTimezone: 'UTC',
          scheduleInputMode: 'text',
          scheduleDefaultInput: 'What should the team think of today?',
        },
        to: [['write', 0]],
      },
      {
        id: 'write',
        card: 'llmAgentflow',
        label: 'Write the note',
        inputs: {
          llmModel: MODEL,
          llmEnableMemory: false,
          llmMessages: [
            { role: 'system', content: 'Write a note of five lines for the start of the day.' },
            { role: 'user', content: '{{ question }}' },
          ],
        },
      },
    ],
  },
  {
    id: 'import',
    use: 'events',
    type: 'ETL',
    alone: true,
    cards: [
      {
        id: 'start',
        card: 'etlStart',
        inputs: {
          startInputType: 'scheduleInput',
          scheduleType: 'visualPicker',
          scheduleFrequency: 'daily',
          scheduleOnTime: '02:00',
          scheduleTimezone: 'UTC',
        },
      },
      {
        id: 'page',
        card: 'plainText',
        inputs: {
          text: 'Put a loader of your own in place of this card: a site, a folder, a table.',
          metadata: '{"source": "note"}',
        },
        to: [['dedupe', 'documents']],
      },
      { id: 'dedupe', card: 'etlDedupe', to: [['file', 'documents']] },
      { id: 'file', card: 'etlFile', inputs: { fileName: 'nightly.jsonl', mode: 'replace' } },
    ],
  },
];
