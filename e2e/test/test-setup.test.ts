import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root, run } from './support/program.js';

const tests = `
test('computes without end', () => { for (;;); });
test('computes without end in an async function', async () => { for (;;); });
test('computes and ends', async () => {});
test('expects something else', () => expect(1).toBe(2));
test('leaves a rejection unhandled', async () => {
  void Promise.reject(new Error('not handled'));
  await new Promise(setImmediate);
});
`;
const leaving = `
test('finds an unchanged process', () => {
  expect(process.env.LEFT_BEHIND).toBeUndefined();
  expect(process.cwd()).not.toBe('/');
  process.env.LEFT_BEHIND = 'yes';
  process.chdir('/');
});
`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-test-timeout-'));
  const preset = pathToFileURL(join(root, 'tools/jest/preset.mjs')).href;
  const options = `testMatch: ['**/*.test.mjs'], reporters: ['default'], testTimeout: 1_000`;
  const config = `import preset from '${preset}';\nexport default { ...preset, ${options} };\n`;
  await writeFile(join(folder, 'jest.config.mjs'), config);
  await writeFile(join(folder, 'endless.test.mjs'), tests);
  for (const name of ['first', 'second']) await writeFile(join(folder, `${name}.test.mjs`), leaving);
});

afterAll(() => rm(folder, { recursive: true }));

function runJest(...files: string[]): ReturnType<typeof run> {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const config = join(folder, 'jest.config.mjs');
  return run(process.execPath, [jest, '--runInBand', '--config', config, ...files]);
}

test('a test that computes beyond its timeout is stopped and fails, and the tests after it run', async () => {
  const { code, stderr } = await runJest('endless');
  expect(code).toBe(1);
  expect(stderr).toContain('✕ computes without end');
  expect(stderr).toContain('✕ computes without end in an async function');
  expect(stderr).toContain('✓ computes and ends');
  expect(stderr).toContain('Script execution timed out after 1000ms');
  expect(stderr).toContain('endless.test.mjs:5:');
});

test('a test with an unhandled rejection fails with the reason', async () => {
  const { code, stderr } = await runJest('endless', '--testNamePattern', 'leaves a rejection');
  expect(code).toBe(1);
  expect(stderr).toContain('✕ leaves a rejection unhandled');
  expect(stderr).toContain('not handled');
});

test('the changes of a test file to its process are reverted at its end', async () => {
  const { code, stderr } = await runJest('first', 'second');
  expect(stderr).toContain('Tests:       2 passed, 2 total');
  expect(code).toBe(0);
});
