import { isObject, type Json } from '../../core/nodes';

/** A call of a webhook as its card declares it. */
export interface WebhookCall {
  /** `POST` where any method is taken. */
  method: string;
  contentType: string;
  answer: 'sync' | 'stream' | 'async';
  headers: readonly Param[];
  body: readonly Param[];
  query: readonly Param[];
  proof: Proof | null;
}

export interface Param {
  name: string;
  type: string;
  required: boolean;
}

/** How a call proves that it knows the secret. */
export interface Proof {
  kind: 'hmac' | 'token';
  header: string;
  /** The header with the time that is signed along. */
  time: string | null;
}

export const JSON_TYPE = 'application/json';
const SECRET = 'WEBHOOK_SECRET';
const KEY = 'YOUR_API_KEY';

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const on = (value: unknown): boolean => value === true || value === 'true';

/** Reads what the Start card says of calls. What was never set is what the card takes in its place. */
export function callOf(inputs: Json): WebhookCall {
  const checked = on(inputs.webhookEnableValidation);
  const params = (name: string): Param[] => (checked ? paramsIn(inputs[name]) : []);
  const answer = text(inputs.webhookResponseMode);
  return {
    method: text(inputs.webhookMethod) || 'POST',
    contentType: text(inputs.webhookContentType) || JSON_TYPE,
    answer: answer === 'stream' || answer === 'async' ? answer : 'sync',
    headers: params('webhookHeaderParams'),
    body: params('webhookBodyParams'),
    query: params('webhookQueryParams'),
    proof: on(inputs.webhookEnableAuth)
      ? {
          kind: text(inputs.webhookSignatureType) === 'plain-token' ? 'token' : 'hmac',
          header: text(inputs.webhookSignatureHeader) || 'x-webhook-signature',
          time: text(inputs.webhookTimestampHeader) || null,
        }
      : null,
  };
}

function paramsIn(value: unknown): Param[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) =>
    isObject(row) && text(row.name) !== ''
      ? [{ name: text(row.name), type: text(row.type) || 'string', required: on(row.required) }]
      : [],
  );
}

const one: Record<string, unknown> = { string: 'text', number: 1, boolean: true, object: {} };

/** A value of the type that is declared. */
function example(type: string): unknown {
  const inner = /^array\[(.*)\]$/.exec(type)?.[1];
  return inner === undefined ? (one[type] ?? 'text') : [one[inner] ?? 'text'];
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The body of an example call; none where the method has none. */
export function bodyOf(call: WebhookCall): string | null {
  if (call.method === 'GET') return null;
  const fields = call.body.length > 0 ? call.body : [{ name: 'message', type: 'string', required: true }];
  const values = fields.map(({ name, type }) => [name, example(type)] as const);
  return call.contentType === JSON_TYPE
    ? JSON.stringify(Object.fromEntries(values))
    : new URLSearchParams(values.map(([name, value]) => [name, asText(value)])).toString();
}

/** A text as a shell takes it, whatever is in it. */
const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** The lines that call the webhook as they are pasted; a signed call reads its secret from `WEBHOOK_SECRET`. */
export function curl(call: WebhookCall, address: string, needsKey: boolean): string {
  const body = bodyOf(call);
  const { proof } = call;
  const before: string[] = [];
  const params = new URLSearchParams(call.query.map(({ name, type }) => [name, asText(example(type))]));
  const query = params.toString();
  const parts = [
    `curl ${call.answer === 'stream' ? '-N ' : ''}-X ${call.method} ${quoted(query ? `${address}?${query}` : address)}`,
  ];
  const header = (name: string, value: string): number => parts.push(`  -H ${quoted(`${name}: ${value}`)}`);
  const shellHeader = (name: string, variable: string): number =>
    parts.push(`  -H ${quoted(`${name}: `)}"$${variable}"`);
  if (body !== null) header('Content-Type', call.contentType);
  if (needsKey) header('Authorization', `Bearer ${KEY}`);
  for (const { name, type } of call.headers) header(name, asText(example(type)));
  if (proof?.kind === 'token') {
    before.push(`: "\${${SECRET}:?Put the secret of the webhook into ${SECRET}}"`);
    shellHeader(proof.header, SECRET);
  } else if (proof) {
    before.push(
      `: "\${${SECRET}:?Put the secret of the webhook into ${SECRET}}"`,
      `BODY=${quoted(body ?? '')}`,
      'TIME=$(date +%s)',
      `SIGNATURE=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac "$${SECRET}" | sed 's/.* //')`,
    );
    if (proof.time === null) parts.push(`  -H ${quoted(`${proof.header}: t=`)}"$TIME,v1=$SIGNATURE"`);
    else {
      shellHeader(proof.time, 'TIME');
      shellHeader(proof.header, 'SIGNATURE');
    }
  }
  if (body !== null) parts.push(`  --data-binary ${proof?.kind === 'hmac' ? '"$BODY"' : quoted(body)}`);
  return [...before, parts.join(' \\\n')].join('\n');
}
