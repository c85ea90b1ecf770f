import { expect, test } from 'vitest';
import { isName } from './name';

test('a name is one word', () => {
  for (const good of ['a', '_x', 'apiUrl', 'API_URL-2', 'größe']) expect(isName(good)).toBe(true);
  for (const bad of ['', '1a', '-a', 'a b', 'a.b', 'a}}', '$x']) expect(isName(bad)).toBe(false);
});
