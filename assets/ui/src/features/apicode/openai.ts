/** Code of OpenAI's protocol that asks a flow, ready to be pasted. */
import { KEY, type Target } from './snippets';

export const languages = ['curl', 'python', 'javascript'] as const;
export type Language = (typeof languages)[number];

const QUESTION = 'Hello';

/** The base address that clients of this protocol are given. */
export const openAiBase = ({ base }: Pick<Target, 'base'>): string => `${base}/api/v1/openai/v1`;

/**
 * The flow is the model, by its id, which no other flow has. A key always belongs into it: this address takes no
 * call without one, whoever may ask the flow otherwise.
 */
export const openAi: Record<Language, (target: Target) => string> = {
  curl: (target) => {
    const body = {
      model: target.id,
      messages: [{ role: 'user', content: QUESTION }],
      ...(target.streaming ? { stream: true } : {}),
    };
    return [
      `curl ${target.streaming ? '-N ' : ''}${openAiBase(target)}/chat/completions`,
      "  -H 'Content-Type: application/json'",
      `  -H 'Authorization: Bearer ${KEY}'`,
      `  -d '${JSON.stringify(body)}'`,
    ].join(' \\\n');
  },
  python: (target) =>
    [
      'from openai import OpenAI',
      '',
      'client = OpenAI(',
      `    base_url="${openAiBase(target)}",`,
      `    api_key="${KEY}",`,
      ')',
      `${target.streaming ? 'chunks' : 'answer'} = client.chat.completions.create(`,
      `    model="${target.id}",`,
      `    messages=[{"role": "user", "content": "${QUESTION}"}],`,
      ...(target.streaming
        ? [
            '    stream=True,',
            ')',
            'for chunk in chunks:',
            '    if chunk.choices:',
            '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
            'print()',
          ]
        : [')', 'print(answer.choices[0].message.content)']),
    ].join('\n'),
  javascript: (target) =>
    [
      "import OpenAI from 'openai';",
      '',
      'const client = new OpenAI({',
      `  baseURL: '${openAiBase(target)}',`,
      `  apiKey: '${KEY}',`,
      '});',
      `const ${target.streaming ? 'chunks' : 'answer'} = await client.chat.completions.create({`,
      `  model: '${target.id}',`,
      `  messages: [{ role: 'user', content: '${QUESTION}' }],`,
      ...(target.streaming
        ? [
            '  stream: true,',
            '});',
            'for await (const chunk of chunks) {',
            "  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');",
            '}',
            "console.log('');",
          ]
        : ['});', 'console.log(answer.choices[0].message.content);']),
    ].join('\n'),
};
