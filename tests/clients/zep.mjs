// Zep's own client before the server of the tests: reads the session that a card keeps, adds to it, and begins and forgets
// another one. Prints what it read as JSON.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [packages, about] = process.argv.slice(2);
const { ZepClient, Memory, Message, NotFoundError } = createRequire(join(packages, 'here.js'))('@getzep/zep-js');
const { url, key, session } = JSON.parse(about);
const client = await ZepClient.init(url, key);
const pair = (person, model) =>
  new Memory({ messages: [new Message({ role: 'human', content: person }), new Message({ role: 'ai', content: model })] });

const kept = await client.memory.getMemory(session, 10);
await client.memory.addMemory(session, pair('I like tea.', 'So do I.'));

await assert.rejects(client.memory.getMemory('nobody'), NotFoundError);
await client.memory.addMemory('another', pair('Grüße 👋', 'Ja.'));
await client.memory.addMemory('another', pair('a', 'b'));
const newest = await client.memory.getMemory('another', 2);
assert.deepEqual(newest.messages.map(({ content }) => content), ['a', 'b']);
assert.equal(newest.summary.content, 'They greeted.');
await client.memory.deleteMemory('another');
await assert.rejects(client.memory.getMemory('another'), NotFoundError);
const stranger = await ZepClient.init(url, 'not-the-key');
await assert.rejects(stranger.memory.getMemory(session), /Authentication/);
console.log(JSON.stringify(kept.messages.map(({ role, content }) => [role, content])));
