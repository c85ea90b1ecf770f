import { describe, expect, it } from 'vitest';
import { bytes, compareNames, duration, interval, relativeTime, setLocale } from './format';

setLocale('en-US');

describe('format', () => {
  it('tells times relative to now', () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    expect(relativeTime('2026-03-01T11:59:40Z', now)).toBe('now');
    expect(relativeTime('2026-03-01T11:55:00Z', now)).toBe('5 minutes ago');
    expect(relativeTime('2026-02-28T12:00:00Z', now)).toBe('yesterday');
    expect(relativeTime('nonsense', now)).toBe('');
  });

  it('tells durations and sizes', () => {
    expect([duration(340), duration(1240), duration(125_000)]).toEqual(['340 ms', '1.2 s', '2 min 5 s']);
    expect([3600, 86_400, 5400, 10].map(interval)).toEqual(['1 hour', '1 day', '90 minutes', '10 seconds']);
    expect([bytes(12), bytes(1400), bytes(25_000_000)]).toEqual(['12 B', '1.4 kB', '25 MB']);
  });

  it('sorts numbers inside names', () => {
    expect(['Flow 10', 'flow 2'].sort(compareNames)).toEqual(['flow 2', 'Flow 10']);
  });
});
