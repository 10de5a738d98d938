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
`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-test-timeout-'));
  const preset = pathToFileURL(join(root, 'tools/jest/preset.mjs')).href;
  const options = `testMatch: ['**/*.test.mjs'], transform: {}, reporters: ['default'], testTimeout: 1_000`;
  const config = `import preset from '${preset}';\nexport default { ...preset, ${options} };\n`;
  await writeFile(join(folder, 'jest.config.mjs'), config);
  await writeFile(join(folder, 'endless.test.mjs'), tests);
});

afterAll(() => rm(folder, { recursive: true }));

test('a test that computes beyond its timeout is stopped and fails, and the tests after it run', async () => {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const { code, stderr } = await run(process.execPath, [jest, '--config', join(folder, 'jest.config.mjs')], {
    env: { NODE_OPTIONS: '--experimental-vm-modules' },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('✕ computes without end');
  expect(stderr).toContain('✕ computes without end in an async function');
  expect(stderr).toContain('✓ computes and ends');
  expect(stderr).toContain('Script execution timed out after 1000ms');
});
