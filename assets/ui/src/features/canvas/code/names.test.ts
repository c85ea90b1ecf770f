import { expect, test } from 'vitest';
import { codeNames } from './names';

const named = (names: ReturnType<typeof codeNames>): Record<string, string> =>
  Object.fromEntries(names.map((one) => [one.label, one.detail]));

test('inputs of a card have the type of what they hold, or of what they name', () => {
  const rows = [
    { variableName: 'who', variableValue: 'Ada' },
    { variableName: 'items', variableValue: '["a"]' },
    { variableName: 'cart', variableValue: '{{ $flow.state.cart }}' },
    { variableName: 'answer', variableValue: '{{llmAgentflow_0}}' },
    { variableName: 'sum', variableValue: 'It is {{$flow.state.cart}}' },
    { variableName: '', variableValue: 'x' },
  ];
  const state = new Map([['cart', 'list' as const]]);
  expect(named(codeNames({ customFunctionInputVariables: rows }, [], state))).toEqual({
    $who: 'string',
    $items: 'list',
    $cart: 'list',
    $answer: 'string',
    $sum: 'string',
    $input: 'string',
    '$flow.input': 'string',
    '$flow.state': 'object',
    '$flow.state.cart': 'list',
  });
  expect(named(codeNames({ functionInputVariables: '{"n": 3, "on": true}' }, [], new Map()))).toMatchObject({
    $n: 'number',
    $on: 'boolean',
  });
});

test('state, variables and facts of the flow are offered, and nothing that code does not see', () => {
  const offers = [
    '$flow.state.cart',
    '$vars.company',
    '$flow.chatId',
    '$form.name',
    'question',
    '$iteration',
  ].map((name) => ({ text: `{{${name}}}`, detail: { name } }));
  expect(named(codeNames({}, offers, new Map([['cart', 'object']])))).toEqual({
    $input: 'string',
    '$flow.input': 'string',
    '$flow.state': 'object',
    '$flow.state.cart': 'object',
    '$vars.company': 'string',
    '$flow.chatId': 'string',
  });
});
