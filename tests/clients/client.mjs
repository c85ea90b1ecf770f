// The npm client: asks, streams and continues.
import assert from 'node:assert/strict';
import sdk from 'flowise-sdk';

const { FlowiseClient } = sdk;
const { baseUrl, flow: chatflowId } = JSON.parse(process.argv[2]);
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
console.log('npm client: asked, streamed, continued');
