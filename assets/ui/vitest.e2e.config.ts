import { defineConfig } from 'vitest/config';

// Tests in a real browser against the built binary: one file at a time, each with its own service. `.ci/page` runs several of
// these beside each other, and files that failed once more, alone.
export default defineConfig({
  test: {
    include: ['e2e/*.e2e.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A page that loads again may take more than the second that is the default, on a machine that has other work.
    expect: { poll: { timeout: 10_000 } },
  },
});
