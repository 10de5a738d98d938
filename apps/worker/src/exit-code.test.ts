import { describe, expect, it } from '@jest/globals';
import { containerExitCode, runnerResult } from './exit-code.js';

describe('the exit code of the container', () => {
  it.each<[number | null, NodeJS.Signals | null, number, string | undefined]>([
    [100, null, 0, 'succeeded'],
    [101, null, 0, 'succeededWithIssues'],
    [102, null, 102, 'failed'],
    [103, null, 103, 'canceled'],
    [104, null, 104, 'skipped'],
    [105, null, 105, 'abandoned'],
    [0, null, 1, undefined],
    [1, null, 1, undefined],
    [99, null, 99, undefined],
    [106, null, 106, undefined],
    [134, null, 134, undefined],
    [null, 'SIGKILL', 137, undefined],
    [null, 'SIGTERM', 143, undefined],
    [null, 'SIGSEGV', 139, undefined],
    [null, 'SIGABRT', 134, undefined],
  ])(
    'is, for a runner that ends with the code %s and the signal %s, %i',
    (code, signal, expected, result) => {
      expect(containerExitCode({ code, signal })).toBe(expected);
      expect(runnerResult(code)).toBe(result);
    },
  );
});
