import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the counts of one jest run to `test-output/summary.json`, from which `npm test` computes the totals. */
export default class SummaryReporter {
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
  }

  onRunComplete(_contexts, results) {
    const directory = join(this.rootDir, 'test-output');
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      join(directory, 'summary.json'),
      JSON.stringify({
        passed: results.numPassedTests,
        failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
        skipped: results.numPendingTests,
      }),
    );
  }
}
