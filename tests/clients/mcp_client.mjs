// MCP's npm client: calls flows as tools, follows their progress, takes a call back, and is refused.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const where = JSON.parse(process.argv[2]);
const { baseUrl, apiKey, flow, flowToken, approval, approvalToken, broken, brokenToken, slow, slowToken } = where;

async function connect(path, secret) {
  const client = new Client({ name: 'tests', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${secret}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/api/v1/mcp${path}`), { requestInit });
  await client.connect(transport);
  assert.ok(transport.sessionId);
  return client;
}

const greeter = await connect(`/${flow}`, flowToken);
assert.equal(greeter.getServerVersion().name, 'flowkeep-greeter');
await greeter.ping();
const { tools } = await greeter.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ['greeter']);
const said = await greeter.callTool({ name: 'greeter', arguments: { question: 'Ada' } });
assert.deepEqual(said.content, [{ type: 'text', text: 'Hello Ada' }]);
assert.equal((await greeter.callTool({ name: 'greeter', arguments: { other: 1 } })).isError, true);
await greeter.close();

const writer = await connect(`/${approval}`, approvalToken);
const news = [];
const call = { name: 'writer', arguments: { question: 'socks' } };
const draft = await writer.callTool(call, undefined, { onprogress: (progress) => news.push(progress.message) });
assert.match(draft.content[0].text, /Shall I send it\?$/);
assert.deepEqual(news, ['Start', 'Writer', 'Ask']);
await writer.close();

const all = await connect('', apiKey);
assert.equal((await all.listTools()).tools.length, 5);
await all.close();

const breaker = await connect(`/${broken}`, brokenToken);
const failed = await breaker.callTool({ name: 'breaker', arguments: { question: 'Ada' } });
assert.ok(failed.isError && failed.content[0].text);
await breaker.close();

const sleeper = await connect(`/${slow}`, slowToken);
const controller = new AbortController();
const late = sleeper.callTool({ name: 'sleeper', arguments: { question: 'x' } }, undefined, { signal: controller.signal });
setTimeout(() => controller.abort(), 300);
await assert.rejects(late);
await sleeper.ping();
await sleeper.close();

await assert.rejects(connect(`/${flow}`, 'fkm_wrong'));
console.log("MCP's npm client: listed, called, followed, was told of a run that failed, took a call back, and was refused");
