import { expect, test } from 'vitest';
import { isOwnAddress } from './address';

const OWN = 'https://flows.example';

test('an address is judged as the browser reads it', () => {
  for (const own of ['/api/v1/get-upload-file?x=1', 'x.png', '#part', `${OWN}/x`])
    expect(isOwnAddress(own, OWN), own).toBe(true);
  for (const other of [
    'https://evil.example/x',
    'http://flows.example/x',
    '//evil.example/x',
    '/\\evil.example/x',
    '\\\\evil.example/x',
    '/\t/evil.example/x',
    '/\n/evil.example/x',
    ' //evil.example/x',
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'https://[',
  ])
    expect(isOwnAddress(other, OWN), other).toBe(false);
});
