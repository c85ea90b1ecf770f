import { expect, test } from 'vitest';
import { declaredInputs, namesIn, placeOfLine, trialOf } from './examples';

test('what code reads is found once, as it is written', () => {
  const code =
    'const a = `${$name} ${$name}`; return $vars.city + $flow.state.count + $flow.chatId + $input;';
  expect(namesIn(code)).toEqual(['$name', '$vars.city', '$flow.state.count', '$flow.chatId', '$flow.input']);
});

test('tools, databases and whole objects are no values', () => {
  expect(namesIn('await $tools.search("x"); await $db.query("y"); return $flow.state')).toEqual([]);
});

test('the inputs of a card are offered with what stands in them, but for references', () => {
  const rows = [
    { variableName: 'size', variableValue: 'large' },
    { variableName: 'said', variableValue: '{{ question }}' },
    { variableName: 'not a name', variableValue: '' },
  ];
  expect([...declaredInputs({ customFunctionInputVariables: rows })]).toEqual([
    ['$size', 'large'],
    ['$said', ''],
  ]);
  expect([...declaredInputs({ functionInputVariables: '{"n": 2}' })]).toEqual([['$n', '2']]);
});

test('examples go where code finds them, and a JSON list is a list', () => {
  const sent = trialOf('return 1', {
    $list: '[1]',
    $text: 'a',
    '$vars.city': 'Bern',
    '$flow.input': 'Hi',
    '$flow.state.mood': 'good',
  });
  expect(sent).toEqual({
    javascriptFunction: 'return 1',
    functionInputVariables: { list: [1], text: 'a' },
    variables: { city: 'Bern' },
    flow: { input: 'Hi', state: { mood: 'good' } },
  });
});

test('a line is found by its number', () => {
  expect([1, 2, 3].map((line) => placeOfLine('ab\ncd', line))).toEqual([0, 3, null]);
});
