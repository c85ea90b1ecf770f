// OpenAI's npm client: lists flows, asks, streams, and is refused.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const { baseUrl, apiKey, flow: model, form, approval, broken, seeing } = JSON.parse(process.argv[2]);
const baseURL = `${baseUrl}/api/v1/openai/v1`;
const client = new OpenAI({ baseURL, apiKey });
const messages = [{ role: 'user', content: 'there' }];

const listed = [];
for await (const one of client.models.list()) listed.push(one.id);
assert.ok(listed.includes(model) && !listed.includes(form));
assert.equal((await client.models.retrieve(model)).object, 'model');

const whole = await client.chat.completions.create({ model, messages });
assert.equal(whole.choices[0].message.content, 'Hello there');
assert.ok(whole.usage.total_tokens > 0);

const pieces = [];
const asked = { model, messages, stream: true, stream_options: { include_usage: true } };
for await (const piece of await client.chat.completions.create(asked)) pieces.push(piece);
assert.equal(pieces[0].choices[0].delta.role, 'assistant');
assert.equal(pieces.map((piece) => piece.choices[0]?.delta.content ?? '').join(''), 'Hello there');
assert.ok(pieces.at(-1).usage.total_tokens > 0);
const final = await client.chat.completions.stream({ model, messages }).finalContent();
assert.equal(final, 'Hello there');

const response = await client.responses.create({ model, input: 'there' });
assert.deepEqual([response.output_text, response.status], ['Hello there', 'completed']);
const events = [];
for await (const event of await client.responses.create({ model, input: 'there', stream: true })) events.push(event);
assert.deepEqual([events[0].type, events.at(-1).type], ['response.created', 'response.completed']);
assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, at) => at));

const { response: head, data } = await client.chat.completions.create({ model: approval, messages }).withResponse();
assert.ok(head.headers.get('x-flowkeep-action'));
assert.match(data.choices[0].message.content, /Shall I send it\?$/);

async function refused(kind, made) {
  try {
    await made();
  } catch (error) {
    assert.ok(error instanceof kind, `${error}`);
    return error;
  }
  return assert.fail('it was taken');
}
const chat = (more) => client.chat.completions.create({ model, messages, ...more });
const stranger = new OpenAI({ baseURL, apiKey: 'sk-wrong' });
assert.equal((await refused(OpenAI.AuthenticationError, () => stranger.models.list())).code, 'invalid_api_key');
assert.equal((await refused(OpenAI.NotFoundError, () => chat({ model: 'gpt-4o' }))).code, 'model_not_found');
const unsupported = await refused(OpenAI.BadRequestError, () => chat({ response_format: { type: 'json_object' } }));
assert.deepEqual([unsupported.code, unsupported.param], ['unsupported_parameter', 'response_format']);
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
await refused(OpenAI.PermissionDeniedError, () => chat({ messages: [{ role: 'user', content: [picture] }] }));
const shown = { role: 'user', content: [{ type: 'text', text: 'a pixel' }, picture] };
assert.equal((await chat({ model: seeing, messages: [shown] })).choices[0].message.content, 'I see a pixel');
const failed = await refused(OpenAI.InternalServerError, () => chat({ model: broken }));
assert.deepEqual([failed.code, failed.headers.get('x-should-retry')], ['flow_failed', 'false']);
await refused(OpenAI.APIError, async () => {
  for await (const piece of await chat({ model: broken, stream: true })) assert.ok(piece.choices);
});
console.log("OpenAI's npm client: listed, asked, streamed, showed a picture, and was refused");
