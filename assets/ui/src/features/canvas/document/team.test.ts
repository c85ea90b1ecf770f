import { expect, it } from 'vitest';
import { emptyDoc, inputsOf, type Definition } from './doc';
import { cards } from './samples';
import { beginTeam, harnessName } from './team';

const [team, specialist]: Definition[] = [
  {
    ...cards.chain,
    name: 'harnessTeam',
    category: 'Harness',
    baseClasses: ['HarnessTeam'],
    inputs: [
      { label: 'Harness Name', name: 'harnessName', type: 'string' },
      { label: 'Specialists', name: 'specialists', type: 'HarnessSpecialist', list: true },
    ],
  },
  {
    ...cards.chain,
    name: 'harnessSpecialist',
    category: 'Harness',
    baseClasses: ['HarnessSpecialist'],
    inputs: [{ label: 'Specialist Name', name: 'specialistName', type: 'string' }],
  },
];

it('begins with a specialist that is connected to its team', () => {
  const doc = team && specialist && beginTeam(emptyDoc(), [team, specialist], 'The Désk!');
  expect(doc?.nodes.map((node) => node.id)).toEqual(['harnessTeam_0', 'harnessSpecialist_0']);
  expect(doc?.edges).toMatchObject([{ source: 'harnessSpecialist_0', target: 'harnessTeam_0' }]);
  const inputs = doc?.nodes.map(inputsOf);
  expect([inputs?.[0]?.harnessName, inputs?.[1]?.specialistName]).toEqual(['the-desk', 'specialist-1']);
});

it('begins with nothing where the cards are not known', () => {
  expect(beginTeam(emptyDoc(), [], 'Desk')).toBe(null);
});

it('makes of any name one that a harness can have', () => {
  expect(['Desk', '  --A b', '律', '', `${'a'.repeat(63)} b`].map(harnessName)).toEqual([
    'desk',
    'a-b',
    'team',
    'team',
    'a'.repeat(63),
  ]);
});
