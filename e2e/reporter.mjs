import { relative } from 'node:path';

const marker = 'skipped: ';

/** Prints the skipped tests with their reasons and the counts at the end. */
export default class EndReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, results) {
    const skipped = new Map();
    let count = 0;
    for (const { testFilePath, testResults } of results.testResults) {
      for (const { status, ancestorTitles, title } of testResults) {
        /* Tests that the arguments do not select are also pending, but have no reason. */
        const at = ancestorTitles.findIndex((one) => one.startsWith(marker));
        if (status !== 'pending' || at < 0) continue;
        const reason = ancestorTitles[at].slice(marker.length);
        const titles = [...ancestorTitles.slice(0, at), ...ancestorTitles.slice(at + 1), title];
        const line = `  ${relative(this.rootDir, testFilePath)}: ${titles.join(' › ')}`;
        skipped.set(reason, [...(skipped.get(reason) ?? []), line]);
        count += 1;
      }
    }
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const report = [
      ...[...skipped].map(([reason, lines]) => `\nSkipped: ${reason}\n${lines.join('\n')}\n`),
      `\n${results.numPassedTests} passed, ${failed} failed, ${count} skipped`,
    ].join('');
    /* Printed after the summary of jest. */
    process.once('exit', () => console.log(report));
  }
}
