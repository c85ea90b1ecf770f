import { MODEL } from '../../../core/recipe';
import type { RecipeCard } from '../../../core/recipe';
import type { RecipeStarter } from './index';

/** Agentflows that a chat begins, and a team. */

const start: RecipeCard['inputs'] = { startInputType: 'chatInput' };

/** A model that is told what to do; what the person asks comes with it. */
const told = (id: string, label: string, content: string, more: RecipeCard['inputs'] = {}): RecipeCard => ({
  id,
  card: 'llmAgentflow',
  label,
  inputs: { llmModel: MODEL, llmMessages: [{ role: 'system', content }], ...more },
});

const reply = (id: string, label: string, directReplyMessage: string): RecipeCard => ({
  id,
  card: 'directReplyAgentflow',
  label,
  inputs: { directReplyMessage },
});

const leading = (card: RecipeCard, ...to: (readonly [string, number])[]): RecipeCard => ({ ...card, to });

export const steps: readonly RecipeStarter[] = [
  {
    id: 'triage',
    use: 'support',
    type: 'AGENTFLOW',
    cards: [
      { id: 'start', card: 'startAgentflow', inputs: start, to: [['sort', 0]] },
      {
        id: 'sort',
        card: 'conditionAgentAgentflow',
        label: 'What is it about?',
        inputs: {
          conditionAgentModel: MODEL,
          conditionAgentInstructions: 'Sort the message of a customer.',
          conditionAgentScenarios: [
            { scenario: 'The customer wants money back' },
            { scenario: 'Anything else' },
          ],
        },
        to: [
          ['draft', 0],
          ['answer', 1],
        ],
      },
      leading(
        told(
          'draft',
          'Draft a refund',
          'Write a short answer that offers the customer a refund. It is read by a person before it is sent.',
        ),
        ['ask', 0],
      ),
      {
        id: 'ask',
        card: 'humanInputAgentflow',
        label: 'May it be sent?',
        inputs: {
          humanInputDescriptionType: 'fixed',
          humanInputDescription: 'This answer offers money back: {{ llmAgentflow_0 }}',
          humanInputEnableFeedback: true,
        },
        to: [
          ['sent', 0],
          ['kept', 1],
        ],
      },
      reply('sent', 'Send it', '{{ llmAgentflow_0 }}'),
      reply('kept', 'A person takes over', 'A colleague will look at it and write to you today.'),
      told('answer', 'Answer', 'You answer customers of a shop in two or three friendly sentences.'),
    ],
  },
  {
    id: 'extract',
    use: 'data',
    type: 'AGENTFLOW',
    cards: [
      { id: 'start', card: 'startAgentflow', inputs: start, to: [['read', 0]] },
      told(
        'read',
        'Read the order',
        'Take from the message what the schema asks for. Leave empty what it does not say.',
        {
          llmEnableMemory: false,
          llmUserMessage: '{{ question }}',
          llmMessages: [
            {
              role: 'system',
              content: 'Take from the message what the schema asks for. Leave empty what it does not say.',
            },
            { role: 'user', content: '{{ question }}' },
          ],
          llmStructuredOutput: [
            { key: 'customer', type: 'string', description: 'Who orders' },
            { key: 'article', type: 'string', description: 'What is ordered' },
            { key: 'count', type: 'number', description: 'How many' },
            { key: 'urgent', type: 'boolean', description: 'Whether somebody waits for it today' },
          ],
        },
      ),
    ],
  },
  {
    id: 'brief',
    use: 'agents',
    type: 'AGENTFLOW',
    cards: [
      { id: 'start', card: 'startAgentflow', inputs: start, to: [['agent', 0]] },
      {
        id: 'agent',
        card: 'agentAgentflow',
        label: 'Research',
        inputs: {
          agentModel: MODEL,
          agentMessages: [
            {
              role: 'system',
              content:
                'Read the pages that the question names, and pages they lead to. Note each fact with the address it is from.',
            },
          ],
          agentTools: [
            {
              agentSelectedTool: 'webScraperTool',
              agentSelectedToolConfig: {
                agentSelectedTool: 'webScraperTool',
                scrapeMode: 'recursive',
                maxDepth: 1,
                maxPages: 5,
                timeoutS: 30,
              },
            },
            {
              agentSelectedTool: 'currentDateTime',
              agentSelectedToolConfig: { agentSelectedTool: 'currentDateTime' },
            },
          ],
        },
        to: [['write', 0]],
      },
      told(
        'write',
        'Write the brief',
        'Write a brief of at most ten lines from these notes, and list the addresses at its end: {{ agentAgentflow_0 }}',
      ),
    ],
  },
  {
    id: 'translate',
    use: 'text',
    type: 'AGENTFLOW',
    cards: [
      { id: 'start', card: 'startAgentflow', inputs: start, to: [['translate', 0]] },
      leading(
        told(
          'translate',
          'Translate',
          'Translate the text into French. What a reader found wrong before, if anything: {{ llmAgentflow_1 }}',
        ),
        ['review', 0],
      ),
      leading(
        told(
          'review',
          'Read it again',
          'Compare this translation with the text of the person: {{ llmAgentflow_0 }} Say GOOD and nothing else when nothing is wrong with it, else what is.',
        ),
        ['check', 0],
      ),
      {
        id: 'check',
        card: 'conditionAgentflow',
        label: 'Is it good?',
        inputs: {
          conditions: [
            { type: 'string', value1: '{{ llmAgentflow_1 }}', operation: 'contains', value2: 'GOOD' },
          ],
        },
        to: [
          ['done', 0],
          ['again', 1],
        ],
      },
      reply('done', 'Answer', '{{ llmAgentflow_0 }}'),
      {
        id: 'again',
        card: 'loopAgentflow',
        label: 'Once more',
        inputs: {
          loopBackToNode: 'llmAgentflow_0-Translate',
          maxLoopCount: 2,
          fallbackMessage: '{{ llmAgentflow_0 }}',
        },
      },
    ],
  },
  {
    id: 'critic',
    use: 'control',
    type: 'AGENTFLOW',
    cards: [
      {
        id: 'start',
        card: 'startAgentflow',
        inputs: start,
        to: [
          ['for', 0],
          ['against', 0],
        ],
      },
      leading(
        told('for', 'What speaks for it', 'Name the three best reasons for what the person asks about.'),
        ['judge', 0],
      ),
      leading(
        told(
          'against',
          'What speaks against it',
          'Name the three best reasons against what the person asks about.',
        ),
        ['judge', 0],
      ),
      told(
        'judge',
        'Weigh them',
        'Weigh both sides and advise in three sentences. For: {{ llmAgentflow_0 }} Against: {{ llmAgentflow_1 }}',
      ),
    ],
  },
  {
    id: 'each',
    use: 'text',
    type: 'AGENTFLOW',
    cards: [
      { id: 'start', card: 'startAgentflow', inputs: start, to: [['split', 0]] },
      {
        id: 'split',
        card: 'customFunctionAgentflow',
        label: 'One item a line',
        inputs: {
          customFunctionInputVariables: [{ variableName: 'lines', variableValue: '{{ question }}' }],
          customFunctionJavascriptFunction:
            "return JSON.stringify($lines.split('\\n').map((line) => line.trim()).filter(Boolean));",
        },
        to: [['each', 0]],
      },
      {
        id: 'each',
        card: 'iterationAgentflow',
        label: 'For each line',
        inputs: { iterationInput: '{{ customFunctionAgentflow_0 }}', iterationConcurrency: 2 },
        to: [['done', 0]],
      },
      {
        ...told('slogan', 'Describe', 'Describe the thing in one sentence for a catalogue.', {
          llmEnableMemory: false,
          llmMessages: [
            { role: 'system', content: 'Describe the thing in one sentence for a catalogue.' },
            { role: 'user', content: '{{ $iteration }}' },
          ],
        }),
        inside: 'each',
      },
      reply('done', 'All of them', '{{ iterationAgentflow_0 }}'),
    ],
  },
  {
    id: 'order',
    use: 'data',
    type: 'AGENTFLOW',
    alone: true,
    cards: [
      { id: 'start', card: 'startAgentflow', inputs: start, to: [['find', 0]] },
      {
        id: 'find',
        card: 'customFunctionAgentflow',
        label: 'Find the number',
        inputs: {
          customFunctionInputVariables: [{ variableName: 'message', variableValue: '{{ question }}' }],
          customFunctionJavascriptFunction:
            "const found = /\\b[A-Z]{2}-\\d{4}\\b/.exec($message);\nreturn found ? found[0] : '';",
        },
        to: [['there', 0]],
      },
      {
        id: 'there',
        card: 'conditionAgentflow',
        label: 'Is there one?',
        inputs: {
          conditions: [
            { type: 'string', value1: '{{ customFunctionAgentflow_0 }}', operation: 'notEmpty', value2: '' },
          ],
        },
        to: [
          ['yes', 0],
          ['no', 1],
        ],
      },
      reply('yes', 'Found', 'I look for order {{ customFunctionAgentflow_0 }}.'),
      reply('no', 'Ask for it', 'Which order is it? Its number looks like AB-1234.'),
    ],
  },
  {
    id: 'team',
    use: 'agents',
    type: 'HARNESS',
    cards: [
      {
        id: 'team',
        card: 'harnessTeam',
        inputs: {
          harnessName: 'shop-team',
          harnessModel: MODEL,
          // Asking both takes no answer of a certain form, which not every model gives.
          harnessRouting: 'all',
          harnessInstructions: 'Answer customers of a shop. Leave each part of a question to who knows it.',
        },
      },
      {
        id: 'orders',
        card: 'harnessSpecialist',
        inputs: {
          specialistName: 'orders',
          specialistDescription: 'Knows how orders are sent and when they arrive',
          specialistInstructions:
            'You know that parcels leave on weekdays before noon and take two to four days.',
        },
        to: [['team', 'specialists']],
      },
      {
        id: 'money',
        card: 'harnessSpecialist',
        inputs: {
          specialistName: 'money',
          specialistDescription: 'Knows bills and refunds',
          specialistInstructions:
            'You know that returns are free within thirty days and refunds take three days.',
        },
        to: [['team', 'specialists']],
      },
    ],
  },
];
