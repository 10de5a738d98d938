import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root, run } from './support/program.js';

const page = await readFile(join(root, 'docs/testing.md'), 'utf8');
/** The environment without variables of the current run. */
const env = { KUBEBUILDER_ASSETS: '', INTERLOCK_E2E_CLUSTER: '' };
const command = (...args: string[]) => run(process.execPath, ['e2e/run.mjs', ...args], { env });

describe('npm run e2e', () => {
  test('has the flags of docs/testing.md', async () => {
    const { code, stdout } = await run('npm', ['run', '--silent', 'e2e', '--', '--help'], { env });
    expect(code).toBe(0);
    const ofHelp = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+(?: <\w+>)?) {2}/gm)].map(([, flag]) => flag);
    const ofPage = [...page.matchAll(/^\| `(--[^`]+)`/gm)].map(([, flag]) => flag);
    expect(ofPage).toEqual(['--kubeconfig <file>', '--context <name>', '--webhook-host <name>', '--envtest']);
    expect(ofHelp).toEqual([...ofPage, '--title <pattern>', '--help']);
  });

  test('runs the test files whose path matches an argument', async () => {
    const { code, stderr, stdout } = await command('no-such-file', '--title=x');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('Pattern: no-such-file');
  });

  test.each<[string, string[], string]>([
    ['an unknown flag', ['--often'], "Unknown option '--often'"],
    ['a flag without its value', ['--kubeconfig'], "'--kubeconfig <value>' argument missing"],
    ['a kubeconfig that does not exist', ['--kubeconfig', 'none'], 'none does not exist'],
    ['two clusters', ['--kubeconfig', 'package.json', '--envtest'], 'leave out one of them'],
    ['a context without a kubeconfig', ['--context', 'x'], 'specify it with --kubeconfig'],
    ['a webhook host without a kubeconfig', ['--webhook-host', 'x'], 'specify it with --kubeconfig'],
    ['no folder of binaries', ['--envtest'], 'KUBEBUILDER_ASSETS is not set'],
  ])('refuses %s with the usage', async (_, args, message) => {
    const { code, stdout, stderr } = await command(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Usage: npm run e2e --');
  });
});
