// The npm client: asks, streams and continues; and answers what an agentflow waits for.
import assert from 'node:assert/strict';
import sdk from 'flowise-sdk';

const { FlowiseClient } = sdk;
const { baseUrl, flow: chatflowId, approval } = JSON.parse(process.argv[2]);
const client = new FlowiseClient({ baseUrl });

async function text(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  assert.equal(events[0].event, 'start');
  assert.equal(events.at(-1).event, 'end');
  assert.ok(events.find((event) => event.event === 'metadata').data.chatId);
  return events.filter((event) => event.event === 'token').map((event) => event.data).join('');
}

const first = await client.createPrediction({ chatflowId, question: 'there' });
assert.equal(first.text, 'Hello there');
assert.ok(first.chatId && first.sessionToken && first.chatMessageId);

const { chatId, sessionToken } = first;
const second = await client.createPrediction({ chatflowId, question: 'what did i say?', chatId, sessionToken });
assert.equal(second.chatId, chatId);
assert.match(second.text, /Human: there\nAssistant: Hello there/);

const stranger = await client.createPrediction({ chatflowId, question: 'what did i say?', chatId });
assert.notEqual(stranger.chatId, chatId);
assert.doesNotMatch(stranger.text, /there/);

assert.equal(await text(await client.createPrediction({ chatflowId, question: 'you', streaming: true })), 'Hello you');
assert.equal(
  await text(await client.createPrediction({ chatflowId, question: 'tricky', streaming: true })),
  'a line with data: inside, and data:{} too',
);

/** Streams an agentflow: its text, and what it waits for. */
async function steps(question) {
  const events = [];
  for await (const event of await client.createPrediction({ chatflowId: approval, streaming: true, ...question })) {
    events.push(event);
  }
  const data = (name) => events.filter(({ event }) => event === name).map((event) => event.data);
  assert.ok(!data('start').length && events.at(-1).event === 'end');
  const states = data('agentFlowEvent');
  assert.equal(states[0], 'INPROGRESS');
  const labels = data('agentFlowExecutedData').at(-1).map(({ nodeLabel }) => nodeLabel);
  return { text: data('token').join(''), state: states.at(-1), action: data('action')[0], labels };
}

const streamed = await steps({ question: 'ropes' });
assert.equal(streamed.text, 'A draft about ropes.\n\nShall I send it?');
assert.deepEqual([streamed.state, streamed.labels], ['STOPPED', ['Start', 'Writer', 'Ask']]);
assert.equal(streamed.action.data.nodeLabel, 'Ask');

const asked = await client.createPrediction({ chatflowId: approval, question: 'socks' });
assert.equal(asked.text, 'A draft about socks.\n\nShall I send it?');
assert.ok(asked.executionId && asked.agentFlowExecutedData.length === 3);
const startNodeId = asked.action.data.nodeId;
const proof = { chatId: asked.chatId, sessionToken: asked.sessionToken };
const again = await steps({ ...proof, humanInput: { type: 'reject', startNodeId, feedback: 'Please be kind' } });
assert.equal(again.text, 'A kind draft.\n\nShall I send it?');
assert.deepEqual([again.state, again.labels.at(-1)], ['STOPPED', 'Ask']);
const sent = await client.createPrediction({
  chatflowId: approval,
  ...proof,
  humanInput: { type: 'proceed', startNodeId, feedback: '' },
});
assert.deepEqual([sent.text, sent.executionId, sent.action], ['Sent: A kind draft.', asked.executionId, undefined]);
const late = await client.createPrediction({ chatflowId: approval, ...proof, humanInput: { type: 'proceed' } });
assert.equal(late.message, 'There is nothing to answer in this conversation.');
console.log('npm client: asked, streamed, continued, and decided');
