// Upstash's own client before the HTTP door of the tests: reads the conversation that a card keeps, adds to it, and runs
// commands one by one, several at once, and several as one. Prints what it read as JSON.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [packages, about] = process.argv.slice(2);
const { Redis } = createRequire(join(packages, 'here.js'))('@upstash/redis');
const { url, token, key, entry, scratch } = JSON.parse(about);
const redis = new Redis({ url, token, automaticDeserialization: false, enableTelemetry: false, retry: false });

const kept = await redis.lrange(key, 0, -1);
await redis.lpush(key, entry);

assert.equal(await redis.set(scratch, 'Grüße 👋', { ex: 60 }), 'OK');
assert.equal(await redis.get(scratch), 'Grüße 👋');
assert.equal(await redis.get(`${scratch}-none`), null);
assert.deepEqual(await redis.mget(scratch, `${scratch}-none`), ['Grüße 👋', null]);
const several = redis.pipeline();
several.ttl(scratch);
several.exists(scratch);
const [seconds, there] = await several.exec();
assert.ok(seconds > 0 && seconds <= 60 && there === 1);
const asOne = redis.multi();
asOne.del(scratch);
asOne.exists(scratch);
assert.deepEqual(await asOne.exec(), [1, 0]);
await assert.rejects(redis.lpush(key, entry).then(() => redis.incr(key)), /WRONGTYPE/);
await redis.lpop(key);
const stranger = new Redis({ url, token: 'not-the-token', enableTelemetry: false, retry: false });
await assert.rejects(stranger.get(key), /WRONGPASS/);
console.log(JSON.stringify(kept));
