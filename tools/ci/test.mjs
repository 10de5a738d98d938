import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that `npm test` checks, and the one line at its end that counts it. */
const env = {
  ...process.env,
  NX_TUI: 'false',
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
};

const nx = (...args) => ['npx', 'nx', ...args, '--outputStyle=static'];
/** They take as long as all the others together, so the two halves run side by side. */
const longest = '@interlock/e2e,@interlock/scm';
/** What tests need of other projects is there by then. */
const tests = ['run-many', '-t', 'test', '--excludeTaskDependencies', '--parallel=1'];

/**
 * Commands of one step run side by side. The compiler and the linter read all projects at once: one process for each
 * project would read what they share again and again.
 */
const steps = [
  ['lockfile', ['node', 'tools/ci/lockfile.mjs']],
  ['dependencies', ['node', 'tools/ci/dependencies.mjs']],
  ['project references', ['npx', 'nx', 'sync:check']],
  ['types, bundles', ['npx', 'tsc', '--build'], nx('run-many', '-t', 'bundle')],
  ['lint', ...[['apps'], ['libs'], ['tools', 'e2e']].map((folders) => ['npx', 'eslint', ...folders])],
  [
    'tests',
    nx(...tests, '-p', longest),
    nx(...tests, `--exclude=${longest}`),
    ['node', 'tools/ci/node24.mjs', '--maxWorkers=1'],
  ],
];

const projects = ['apps', 'libs', 'tools']
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .concat('e2e', 'tools/ci/node24');
const summaryOf = (project) => join(project, 'test-output/summary.json');
for (const project of projects) rmSync(summaryOf(project), { force: true });

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
for (const project of projects) {
  try {
    const summary = JSON.parse(readFileSync(summaryOf(project), 'utf8'));
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
