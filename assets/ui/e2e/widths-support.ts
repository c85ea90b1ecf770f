/** A service in which every screen has something to show. */
import { ask, review } from './agentflows';
import { agent, conversation, Drawing, makeFlow } from './canvases';
import type { Service } from './harness';

/** The ids of what is there. */
export interface Furnished {
  chat: string;
  steps: string;
  pipeline: string;
  assistant: string;
  run: string;
  store: string;
  conversation: string;
  version: string;
}

export async function furnish(service: Service): Promise<Furnished> {
  const { call } = service;
  const make = (type: string, name: string, flowData: string): Promise<{ id: string }> =>
    call('POST', '/chatflows', { name, type, flowData });
  const chat = await makeFlow(service, 'Orders', await conversation(service, [{ reply: 'On its way.' }]));
  const asked = { question: 'Where is my parcel?' };
  const { chatId } = await call<{ chatId: string }>('POST', `/prediction/${chat}`, asked);
  // A draft with changes, and something wrong with it.
  const faulty = await agent(service, []);
  faulty.node('toolAgent_0').data.inputs.model = '';
  await call('PUT', `/flow-drafts/${chat}`, { flowData: faulty.text() });
  const steps = await review().flow(service, 'Parcel review');
  const run = await ask(service, steps, 'Where is my parcel?');
  const drawing = new Drawing(service);
  await drawing.card('etlStart', { params: [{ name: 'town', value: 'Bern' }] });
  const source = await drawing.card('plainText', { text: 'Parcels leave on Mondays.' });
  drawing.wire(source, await drawing.card('etlFile', { fileName: 'parcels.jsonl' }), 'documents');
  const pipeline = await make('ETL', 'Parcels of today', drawing.text());
  await call('POST', `/etl/${pipeline.id}/runs`, {});
  const details = { name: 'Helper', chatModel: { name: 'chatScripted', inputs: { fallback: 'Hi' } } };
  await call('POST', '/assistants', { type: 'CUSTOM', details: JSON.stringify(details) });
  const store = await call<{ id: string }>('POST', '/document-store/store', { name: 'Parcels' });
  await call('POST', `/document-store/upsert/${store.id}`, {
    loader: { name: 'plainText', config: { text: 'Parcels leave on Mondays.' } },
  });
  await call('POST', '/variables', { name: 'town', value: 'Bern', type: 'static' });
  await call('POST', '/credentials', {
    name: 'Provider',
    credentialName: 'openAIApi',
    plainDataObj: { openAIApiKey: 'sk-not-a-key' },
  });
  await call('POST', '/tools', {
    name: 'get_weather',
    description: 'Tells the weather.',
    color: '#336699',
    schema: '[]',
    func: 'return "Sunny"',
  });
  await call('POST', '/marketplaces/custom', {
    name: 'House rules',
    description: 'What is said of parcels.',
    usecases: ['support'],
    chatflowId: chat,
  });
  const { versions } = await call<{ versions: { sha: string }[] }>('GET', `/flow-versions/${chat}`);
  const flows = await call<{ id: string; name: string }[]>('GET', '/chatflows?type=ASSISTANT');
  return {
    chat,
    steps,
    pipeline: pipeline.id,
    assistant: flows.find(({ name }) => name === 'Helper')?.id ?? '',
    run,
    store: store.id,
    conversation: chatId,
    version: versions[0]?.sha ?? '',
  };
}
