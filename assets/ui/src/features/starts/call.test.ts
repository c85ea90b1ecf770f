import { expect, test } from 'vitest';
import { bodyOf, callOf, curl } from './call';

const address = 'https://flows.test/api/v1/webhook/1';
const params = {
  webhookEnableValidation: true,
  webhookBodyParams: [
    { name: 'id', type: 'number', required: true },
    { name: 'tags', type: 'array[string]' },
  ],
  webhookQueryParams: [{ name: 'page' }],
  webhookHeaderParams: [{ name: 'X-Team' }],
};

test('a card that was never set is called with JSON by POST', () => {
  const line = curl(callOf({}), address, false);
  expect(line).toBe(
    `curl -X POST '${address}' \\\n  -H 'Content-Type: application/json' \\\n  --data-binary '{"message":"text"}'`,
  );
});

test('what is declared is in the call, with values of its types', () => {
  const line = curl(callOf(params), address, true);
  expect(line).toContain(`'${address}?page=text'`);
  expect(line).toContain(`-H 'X-Team: text'`);
  expect(line).toContain(`--data-binary '{"id":1,"tags":["text"]}'`);
  expect(line).toContain(`-H 'Authorization: Bearer YOUR_API_KEY'`);
});

test('declared parameters count only while they are checked', () => {
  expect(callOf({ ...params, webhookEnableValidation: false }).body).toEqual([]);
});

test('a form is sent as a form, and GET without a body', () => {
  const form = callOf({ ...params, webhookContentType: 'application/x-www-form-urlencoded' });
  expect(bodyOf(form)).toBe('id=1&tags=%5B%22text%22%5D');
  const get = curl(callOf({ webhookMethod: 'GET' }), address, false);
  expect(get).toBe(`curl -X GET '${address}'`);
});

test('a signed call signs time and body, in one header or in two', () => {
  const signed = { webhookEnableAuth: true };
  expect(curl(callOf(signed), address, false)).toContain(`-H 'x-webhook-signature: t='"$TIME,v1=$SIGNATURE"`);
  const timed = curl(callOf({ ...signed, webhookTimestampHeader: 'X-Time' }), address, false);
  expect(timed).toContain(`-H 'X-Time: '"$TIME"`);
  expect(timed).toContain(`-H 'x-webhook-signature: '"$SIGNATURE"`);
  const plain = curl(callOf({ ...signed, webhookSignatureType: 'plain-token' }), address, false);
  expect(plain).toContain(`-H 'x-webhook-signature: '"$WEBHOOK_SECRET"`);
  expect(plain).not.toContain('openssl');
});

test('a quote in a name does not end the text of the shell', () => {
  const line = curl(callOf({ ...params, webhookHeaderParams: [{ name: "it's" }] }), address, false);
  expect(line).toContain(`-H 'it'\\''s: text'`);
});
