import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that `npm test` checks, and the one line at its end that counts it. */
const env = {
  ...process.env,
  NX_TUI: 'false',
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
};

const steps = [
  ['lockfile', 'node', ['tools/ci/lockfile.mjs']],
  ['dependencies', 'node', ['tools/ci/dependencies.mjs']],
  ['project references', 'npx', ['nx', 'sync:check']],
  ['lint, types, bundles', 'npx', ['nx', 'run-many', '-t', 'lint', 'typecheck', 'bundle', '--outputStyle=static']],
  ['tests', 'npx', ['nx', 'run-many', '-t', 'test', '--outputStyle=static']],
];

const projects = ['apps', 'libs', 'tools']
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .concat('e2e');
const summaryOf = (project) => join(project, 'test-output/summary.json');
for (const project of projects) rmSync(summaryOf(project), { force: true });

const failedSteps = [];
for (const [name, command, args] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env });
  if (status !== 0) failedSteps.push(name);
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
if (total.skipped > 0) console.error(`${total.skipped} skipped: a program they need is absent on this machine (see above)`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
