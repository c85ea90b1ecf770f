import { describe, expect, it } from 'vitest';
import { bytesOf, isPart, quotaOf, textOfQuota } from './quota';

describe('the quota of a workspace', () => {
  it('is stored as it was read', () => {
    for (const quota of [
      null,
      { flows: 0 },
      { chunks: 5, characters: 1_000_000_000_000, vectors: 7, fileBytes: 1 },
      { fileBytes: 12_345_678, budget: { tokensPerDay: 5, questionsPerDay: 6 } },
    ]) {
      expect(quotaOf(textOfQuota(quota))).toEqual(quota);
    }
  });

  it('takes megabytes with a comma or a point', () => {
    expect(['1', ' 0 ', '0.5', '0,5', '1.000001', '1000000'].map(bytesOf)).toEqual([
      1_000_000, 0, 500_000, 500_000, 1_000_001, 1_000_000_000_000,
    ]);
    expect(['', '-1', '1.', '.5', '1.0000001', '1000000.1', '1e3', '1 000'].map(bytesOf)).toEqual(
      Array(8).fill(null),
    );
  });

  it('may be nothing at all, but for what a day allows', () => {
    expect(isPart('flows', '0')).toBe(true);
    expect(isPart('questions', '0')).toBe(false);
    expect(isPart('files', '')).toBe(true);
    expect(isPart('vectors', '1.5')).toBe(false);
  });
});
