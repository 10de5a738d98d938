import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs all checks of `npm test` and prints the counts on the last line. With `--long`, tests that otherwise use a
 * sample run completely.
 */
const isLong = process.argv.includes('--long');
const env = {
  ...process.env,
  ...(isLong ? { INTERLOCK_LONG_TESTS: '1' } : {}),
  NX_TUI: 'false',
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
  /* Runs the plugins in this process, because a process for each plugin takes four times as long. */
  NX_ISOLATE_PLUGINS: 'false',
};

const nx = (...args) => ['node', 'node_modules/nx/dist/bin/nx.js', ...args, '--outputStyle=static'];
/** The compiler. The package `typescript`, which also contains a `tsc`, is installed only for its API. */
const tsc = ['node', 'node_modules/@typescript/tsc/bin/tsc'];
/** ESLint runs the rules that oxlint does not offer, without type information. */
const [oxlint, eslint] = ['oxlint/bin/oxlint', 'eslint/bin/eslint.js'].map((bin) => [
  'node',
  `node_modules/${bin}`,
]);
const folders = ['apps', 'libs', 'tools', 'e2e'];
/** One run for all projects, so that its workers stay busy while there are test files left. */
const jest = ['node', 'node_modules/jest/bin/jest.js'];

/**
 * The commands of one step run concurrently. The compiler and the linters process all projects at once, so that they
 * read shared files only once.
 */
const steps = [
  ['lockfile', ['node', 'tools/ci/lockfile.mjs']],
  ['dependencies', ['node', 'tools/ci/dependencies.mjs']],
  ['project references', nx('sync:check')],
  ['types, bundles', [...tsc, '--build'], nx('run-many', '-t', 'bundle')],
  ['lint', [...oxlint, ...folders], [...eslint, ...folders]],
  ['tests', [...jest, '--maxWorkers=3'], ['node', 'tools/ci/node24.mjs', '--maxWorkers=1']],
];

const summaries = ['.', 'tools/ci/node24'].map((folder) => join(folder, 'test-output/summary.json'));
for (const summary of summaries) rmSync(summary, { force: true });

async function run([command, ...args]) {
  const [code] = await once(spawn(command, args, { stdio: 'inherit', env }), 'close');
  return code === 0;
}

const failedSteps = [];
for (const [name, ...commands] of steps) {
  const passed = await Promise.all(commands.map(run));
  if (passed.includes(false)) failedSteps.push(name);
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of summaries) {
  try {
    const summary = JSON.parse(readFileSync(file, 'utf8'));
    for (const key of Object.keys(total)) total[key] += summary[key];
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
/* A step that fails without a failed test (types, lint, a crash) counts as one. */
const withoutTest = failedSteps.filter((name) => name !== 'tests' || total.failed === 0).length;
total.passed += steps.length - failedSteps.length;
total.failed += withoutTest;

if (failedSteps.length > 0) console.error(`Failed: ${failedSteps.join(', ')}`);
if (total.skipped > 0)
  console.error(`${total.skipped} skipped: this machine does not have a required program (see above)`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
