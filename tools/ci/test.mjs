import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that `npm test` checks, and the one line at its end that counts it. `--long`: with all that is sampled else. */
const isLong = process.argv.includes('--long');
const env = {
  ...process.env,
  ...(isLong ? { INTERLOCK_LONG_TESTS: '1' } : {}),
  NX_TUI: 'false',
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
  /* In this process, instead of one for each plugin: they cost four times as much as what they compute. */
  NX_ISOLATE_PLUGINS: 'false',
};

const nx = (...args) => ['node', 'node_modules/nx/dist/bin/nx.js', ...args, '--outputStyle=static'];
/** The `tsc` of node_modules/.bin is the same; `typescript`, which has one of that name, is there for its functions. */
const tsc = ['node', 'node_modules/@typescript/tsc/bin/tsc'];
/** ESLint has the rules that the other one lacks, and reads no types. */
const [oxlint, eslint] = ['oxlint/bin/oxlint', 'eslint/bin/eslint.js'].map((bin) => [
  'node',
  `node_modules/${bin}`,
]);
const folders = ['apps', 'libs', 'tools', 'e2e'];
/** One run of all projects: its workers share the files, and none waits for another while there are some left. */
const jest = ['node', 'node_modules/jest/bin/jest.js'];

/**
 * Commands of one step run side by side. The compiler and the linter read all projects at once: one process for each
 * project would read what they share again and again.
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
  console.error(`${total.skipped} skipped: a program they need is absent on this machine (see above)`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
