/** Code that calls a flow, ready to be pasted. It never holds a real key. */

export interface Target {
  /** This server's address, without a slash at the end. */
  base: string;
  id: string;
  /** Whether the flow needs a key. */
  key: boolean;
  streaming: boolean;
}

export const KEY = 'YOUR_API_KEY';
const QUESTION = 'Hello';

const path = ({ base, id }: Target): string => `${base}/api/v1/prediction/${id}`;

export function curl(target: Target): string {
  const body = JSON.stringify(
    target.streaming ? { question: QUESTION, streaming: true } : { question: QUESTION },
  );
  const lines = [
    `curl ${target.streaming ? '-N ' : ''}${path(target)}`,
    "  -H 'Content-Type: application/json'",
    ...(target.key ? [`  -H 'Authorization: Bearer ${KEY}'`] : []),
    `  -d '${body}'`,
  ];
  return lines.join(' \\\n');
}

/** Plain Python, with nothing to install. */
export function python(target: Target): string {
  const headers = target.key
    ? `{"Content-Type": "application/json", "Authorization": "Bearer ${KEY}"}`
    : '{"Content-Type": "application/json"}';
  const body = target.streaming ? `{"question": question, "streaming": True}` : `{"question": question}`;
  const head = ['import json', 'from urllib.request import Request, urlopen', '', `URL = "${path(target)}"`];
  const request = [
    `    body = json.dumps(${body}).encode()`,
    `    request = Request(URL, data=body, headers=${headers})`,
  ];
  const whole = [
    '',
    '',
    'def ask(question):',
    ...request,
    '    with urlopen(request) as response:',
    '        return json.load(response)',
    '',
    '',
    `answer = ask("${QUESTION}")`,
    'print(answer["text"])',
  ];
  const streamed = [
    '',
    '',
    'def ask(question):',
    ...request,
    '    with urlopen(request) as response:',
    '        for line in response:',
    '            if line.startswith(b"data:"):',
    '                yield json.loads(line[5:])',
    '',
    '',
    `for event in ask("${QUESTION}"):`,
    '    if event["event"] == "token":',
    '        print(event["data"], end="", flush=True)',
    '    elif event["event"] == "error":',
    '        raise RuntimeError(event["data"])',
    'print()',
  ];
  return [...head, ...(target.streaming ? streamed : whole)].join('\n');
}

/** For Node 18 or newer, Deno, Bun and browsers. */
export function javascript(target: Target): string {
  const headers = [
    "    'Content-Type': 'application/json',",
    ...(target.key ? [`    Authorization: 'Bearer ${KEY}',`] : []),
  ];
  const fields = target.streaming ? '{ question, streaming: true }' : '{ question }';
  const call = [
    `const url = '${path(target)}';`,
    '',
    target.streaming ? 'async function* ask(question) {' : 'async function ask(question) {',
    '  const response = await fetch(url, {',
    "    method: 'POST',",
    '    headers: {',
    ...headers.map((line) => `  ${line}`),
    '    },',
    `    body: JSON.stringify(${fields}),`,
    '  });',
    '  if (!response.ok) throw new Error(await response.text());',
  ];
  const whole = [
    '  return response.json();',
    '}',
    '',
    `ask('${QUESTION}').then((answer) => console.log(answer.text));`,
  ];
  const streamed = [
    '  const decoder = new TextDecoder();',
    '  const reader = response.body.getReader();',
    "  let rest = '';",
    '  for (;;) {',
    '    const { done, value } = await reader.read();',
    '    if (done) return;',
    '    rest += decoder.decode(value, { stream: true });',
    "    const lines = rest.split('\\n');",
    '    rest = lines.pop();',
    '    for (const line of lines) {',
    "      if (line.startsWith('data:')) yield JSON.parse(line.slice(5));",
    '    }',
    '  }',
    '}',
    '',
    '(async () => {',
    "  let answer = '';",
    `  for await (const { event, data } of ask('${QUESTION}')) {`,
    "    if (event === 'token') answer += data;",
    "    if (event === 'error') throw new Error(data);",
    '  }',
    '  console.log(answer);',
    '})();',
  ];
  return [...call, ...(target.streaming ? streamed : whole)].join('\n');
}

/** The service's own chat: one module, served by it. */
export function embed({ base, id }: Target): string {
  return [
    '<script type="module">',
    `  import Chat from '${base}/widget.js';`,
    '  Chat.init({',
    `    chatflowid: '${id}',`,
    `    apiHost: '${base}',`,
    '  });',
    '</script>',
  ].join('\n');
}

/** The chat filling a page or an element. */
export function embedFull({ base, id }: Target): string {
  return [
    '<flowkeep-fullchat></flowkeep-fullchat>',
    '<script type="module">',
    `  import Chat from '${base}/widget.js';`,
    '  Chat.initFull({',
    `    chatflowid: '${id}',`,
    `    apiHost: '${base}',`,
    '  });',
    '</script>',
  ].join('\n');
}

/** The common third-party embed, which speaks the same protocol. */
export function embedOther({ base, id }: Target): string {
  return [
    '<script type="module">',
    "  import Chatbot from 'https://cdn.jsdelivr.net/npm/flowise-embed/dist/web.js';",
    '  Chatbot.init({',
    `    chatflowid: '${id}',`,
    `    apiHost: '${base}',`,
    '  });',
    '</script>',
  ].join('\n');
}
