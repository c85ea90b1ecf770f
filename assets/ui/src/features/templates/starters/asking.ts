import { MODEL } from '../../../core/recipe';
import type { RecipeStarter } from './index';

/** Chatflows: a chain or an agent with what it needs around it. */

const HANDBOOK = `Parcels leave our warehouse on weekdays before noon. Delivery takes two to four days.

Returns are free within thirty days. Put the slip from your parcel on the box and bring it to any post office. The money is back on your account three days after the box reached us.

A repair takes ten days. Write to repairs@shop.example with a picture of the damage first.`;

const ORDERS = `order,day,article,count,price
1001,2026-03-02,lamp,2,39.90
1002,2026-03-02,chair,4,89.00
1003,2026-03-04,lamp,3,39.90
1004,2026-03-05,table,1,249.00
1005,2026-03-09,chair,2,89.00
`;

const reading = (topK: string): RecipeStarter['cards'] => [
  {
    id: 'text',
    card: 'plainText',
    inputs: { text: HANDBOOK, metadata: '{"source": "handbook"}' },
    to: [['store', 'document']],
  },
  {
    id: 'splitter',
    card: 'recursiveCharacterTextSplitter',
    inputs: { chunkSize: '300', chunkOverlap: '0' },
    to: [['text', 'textSplitter']],
  },
  { id: 'embeddings', card: 'hashingEmbeddings', to: [['store', 'embeddings']] },
  { id: 'store', card: 'memoryVectorStore', inputs: { topK } },
];

const leadingTo = (cards: RecipeStarter['cards'], id: string, to: readonly (readonly [string, string])[]) =>
  cards.map((one) => (one.id === id ? { ...one, to } : one));

export const asking: readonly RecipeStarter[] = [
  {
    id: 'answers',
    use: 'support',
    type: 'CHATFLOW',
    builtIn: 'chatExtractive',
    cards: [
      { id: 'model', card: MODEL, to: [['chain', 'model']] },
      { id: 'memory', card: 'bufferMemory', to: [['chain', 'memory']] },
      ...leadingTo(reading('3'), 'store', [['chain', 'vectorStoreRetriever']]),
      { id: 'chain', card: 'conversationalRetrievalQAChain', inputs: { returnSourceDocuments: true } },
    ],
  },
  {
    id: 'lookup',
    use: 'documents',
    type: 'CHATFLOW',
    cards: [
      { id: 'model', card: MODEL, to: [['agent', 'model']] },
      { id: 'memory', card: 'bufferMemory', to: [['agent', 'memory']] },
      ...leadingTo(reading('4'), 'store', [['tool', 'retriever']]),
      {
        id: 'tool',
        card: 'retrieverTool',
        inputs: {
          name: 'search_handbook',
          description: 'Finds what the handbook of the shop says on deliveries, returns and repairs.',
          returnSourceDocuments: true,
        },
        to: [['agent', 'tools']],
      },
      { id: 'clock', card: 'currentDateTime', to: [['agent', 'tools']] },
      {
        id: 'agent',
        card: 'toolAgent',
        inputs: {
          systemMessage:
            'You answer questions of customers. Look into the handbook before you answer, and say so when it has no answer.',
        },
      },
    ],
  },
  {
    id: 'experts',
    use: 'support',
    type: 'CHATFLOW',
    cards: [
      { id: 'model', card: MODEL, to: [['chain', 'model']] },
      {
        id: 'bills',
        card: 'promptRetriever',
        inputs: {
          name: 'bills',
          description: 'For questions about bills, payments and refunds',
          systemMessage: 'You know all about bills. Answer in two sentences and name the next step.',
        },
        to: [['chain', 'promptRetriever']],
      },
      {
        id: 'repairs',
        card: 'promptRetriever',
        inputs: {
          name: 'repairs',
          description: 'For questions about things that are broken',
          systemMessage: 'You know all about repairs. Ask for what you need to know first.',
        },
        to: [['chain', 'promptRetriever']],
      },
      { id: 'chain', card: 'multiPromptChain' },
    ],
  },
  {
    id: 'guard',
    use: 'control',
    type: 'CHATFLOW',
    cards: [
      { id: 'model', card: MODEL, to: [['chain', 'model']] },
      { id: 'memory', card: 'bufferMemory', to: [['chain', 'memory']] },
      {
        id: 'guard',
        card: 'inputModerationSimple',
        inputs: {
          denyList: 'password\ncredit card number',
          moderationErrorMessage: 'Please do not send passwords or card numbers here.',
        },
        to: [['chain', 'inputModeration']],
      },
      { id: 'chain', card: 'conversationChain' },
    ],
  },
  {
    id: 'recap',
    use: 'text',
    type: 'CHATFLOW',
    cards: [
      {
        id: 'model',
        card: MODEL,
        to: [
          ['chain', 'model'],
          ['memory', 'model'],
        ],
      },
      { id: 'memory', card: 'conversationSummaryMemory', to: [['chain', 'memory']] },
      {
        id: 'chain',
        card: 'conversationChain',
        inputs: { systemMessagePrompt: 'You help with long plans. Keep to what was decided before.' },
      },
    ],
  },
  {
    id: 'table',
    use: 'data',
    type: 'CHATFLOW',
    cards: [
      { id: 'model', card: MODEL, to: [['agent', 'model']] },
      {
        id: 'agent',
        card: 'csvAgent',
        inputs: { csvFile: `data:text/csv;base64,${btoa(ORDERS)},filename:orders.csv` },
      },
    ],
  },
  {
    id: 'sql',
    use: 'data',
    type: 'CHATFLOW',
    needs: 'database',
    cards: [
      { id: 'model', card: MODEL, to: [['chain', 'model']] },
      { id: 'chain', card: 'sqlDatabaseChain', inputs: { sampleRowsInTableInfo: 3, topK: 10 } },
    ],
  },
];
