import { statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { initBare } from '@interlock/stack';
import { apps, appsOfScenario } from '../../tools/bundle/run.mjs';
import { blocksOf } from './support/doc-blocks.js';
import { whyNoKubectl } from './support/kubectl.js';
import { Program, processesWith, root, run } from './support/program.js';
import { stackBundle, stackCommand } from './support/stack.js';
import { isEmbedded, stackFlags } from './support/test-cluster.js';

const timeoutMs = 300_000;
const starter = 'tools/stack/start.mjs';
let folder: string;
let started: Program | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'interlock-e2e-start-'));
});
afterEach(async () => {
  await started?.destroy();
  started = undefined;
  await rm(folder, { recursive: true, force: true });
});

/* The stack uses a folder below TMPDIR, which is in the command line or the environment of every app that it runs. */
const start = (...args: string[]): Program =>
  (started = Program.start(process.execPath, args, { env: { TMPDIR: folder } }));

/** Returns the times at which the bundles that `npm start` runs were written. */
function timesOfBundles(): number[] {
  const projects = [...apps.map((name) => `apps/${name}`), 'tools/stack'];
  return projects.map((project) => statSync(join(root, project, 'dist/main.mjs')).mtimeMs);
}

async function expectNothingLeft(): Promise<void> {
  expect(await processesWith(folder)).toEqual([]);
  expect((await readdir(folder)).filter((name) => name.startsWith('interlock-'))).toEqual([]);
}

/** Checks that a user can push to the forge and read its pull requests with the printed commands. */
async function expectUsable(printed: string): Promise<void> {
  const [, clone = ''] = /^ {2}(git clone \S+)$/m.exec(printed) ?? [];
  const [, pulls = ''] = /^ {2}export PULLS=(\S+)$/m.exec(printed) ?? [];
  const [, token = ''] = /Authorization: Bearer (\S+)' -X PATCH/.exec(printed) ?? [];
  const script = `cd ${folder}; ${clone} --quiet clone; git -C clone push --quiet origin HEAD:refs/heads/try`;
  const { code, stderr } = await run('sh', ['-euc', script]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const answer = await fetch(`${pulls}?state=all`, { headers: { authorization: `Bearer ${token}` } });
  expect(await answer.json()).not.toHaveLength(0);
}

/** Checks the printed commands for the pods of the apps. */
async function expectPodCommands(printed: string): Promise<void> {
  const [, kubeconfig = ''] = /^ {2}export KUBECONFIG=(\S+)$/m.exec(printed) ?? [];
  const commands = [...printed.matchAll(/^ {2}(kubectl -n interlock-system .*)$/gm)].map(([, one]) => one);
  expect(commands).toHaveLength(2);
  const env = { KUBECONFIG: kubeconfig, HOME: folder };
  const [pods, log] = await Promise.all(commands.map((one) => run('sh', ['-euc', one ?? ''], { env })));
  expect(pods?.stdout).toMatch(/deployment\.apps\/gate-controller +1\/1/);
  expect(log).toMatchObject({ code: 0, stdout: expect.stringContaining('"component":"promoter"') });
}

/**
 * Returns the lines of an output without the parts that differ between runs: hashes, ports and numbers of pull
 * requests.
 */
const comparable = (output: string): string[] =>
  output.split('\n').map((line) =>
    line
      .replace(/\b[0-9a-f]{7}\b/, '<commit>')
      .replace(/127\.0\.0\.1:\d+/, '<address>')
      .replace(/\/pull\/\d+$/, '/pull/<number>'),
  );

/** Checks that the README shows lines of a program's output. The order of waiting checks depends on the timing. */
async function expectReadmeToShow(output: string): Promise<void> {
  const [shown] = blocksOf('README.md', await readFile(join(root, 'README.md'), 'utf8'), ['text']);
  const lines = comparable(shown?.text.trim() ?? '').filter((line) => !line.includes(' waits: '));
  expect(comparable(output)).toEqual(expect.arrayContaining(lines));
  expect(lines.length).toBeGreaterThan(8);
}

describe('npm start', () => {
  test(
    '-- --once ends when every environment runs the newest commit and a restart writes nothing',
    async () => {
      const before = timesOfBundles();
      const { code, stdout, stderr } = await run(process.execPath, [starter, '--once', ...stackFlags], {
        env: { TMPDIR: folder },
        timeoutMs,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      /* Other tests run them, and a program that starts while a bundle is written would read an incomplete file. */
      expect(timesOfBundles()).toEqual(before);
      for (const environment of ['dev', 'test', 'prod']) {
        expect(stdout).toMatch(new RegExp(`environments/${environment} +merged by interlock\\[bot\\]`));
      }
      expect(stdout).not.toContain('PROBLEM');
      expect(stdout).toContain(
        'Every environment runs the newest dry commit.\nAfter a restart of the apps: 0 writes at the forge.\n',
      );
      if (isEmbedded) await expectReadmeToShow(stdout);
      await expectNothingLeft();
    },
    timeoutMs,
  );

  test(
    '-- --fleet processes --once runs the apps outside of the cluster with the same result',
    async () => {
      const { code, stdout, stderr } = await run(
        process.execPath,
        [stackBundle, '--fleet', 'processes', '--once', ...stackFlags],
        { env: { TMPDIR: folder }, timeoutMs },
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toMatch(/PROBLEM|deployment\//);
      expect(stdout).toContain('After a restart of the apps: 0 writes at the forge.\n');
      await expectNothingLeft();
    },
    timeoutMs,
  );

  test(
    'runs until Ctrl-C, and leaves no processes or files',
    async () => {
      const program = start(starter, ...stackFlags);
      await program.says('Press Ctrl-C to stop.');
      expect(program.stdout).toContain('export KUBECONFIG=');
      expect((await processesWith(folder)).length).toBeGreaterThanOrEqual(2);
      await expectUsable(program.stdout);
      if (isEmbedded && whyNoKubectl === undefined) await expectPodCommands(program.stdout);
      program.signalGroup('SIGINT');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stdout).toContain('Stopped.');
      await expectNothingLeft();
    },
    timeoutMs,
  );

  test.each([
    ['SIGINT', 'the bundle', stackCommand()],
    ['SIGTERM', 'the program that starts the bundle', [starter, ...stackFlags]],
  ] as const)(
    'ends immediately when it receives %s at %s while the scenario runs',
    async (signal, _, command) => {
      const program = start(...command);
      await program.says('pull request open');
      program.signal(signal);
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stdout).not.toMatch(/FAILED|PROBLEM/);
      await expectNothingLeft();
    },
    timeoutMs,
  );
});

describe('npm start', () => {
  const promotion = ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder', 'cli'];

  test.each<[args: string[], bundles: string[]]>([
    [[], promotion],
    [['--scenario', 'revert', '--once'], promotion],
    [['--once', '--scenario', 'jobs'], ['agc']],
    [['--scenario=jobs'], ['agc']],
    [['--scenario'], promotion],
  ])('with %j builds only the bundles that it runs', (args, bundles) => {
    expect(appsOfScenario(args)).toEqual(bundles);
  });
});

describe('the command line', () => {
  test('lists all flags with --help', async () => {
    const { code, stdout } = await run(process.execPath, [stackBundle, '--help']);
    expect(code).toBe(0);
    for (const flag of [
      '--scenario <name>',
      '--once',
      '--fleet <mode>',
      '--repo <path>',
      '--replay <n>',
      '--keep',
      '--kubeconfig <file>',
      '--clean',
    ])
      expect(stdout).toContain(flag);
  });

  test('refuses a wrong flag with the help', async () => {
    const { code, stderr } = await run(process.execPath, [stackBundle, '--often']);
    expect(code).toBe(1);
    expect(stderr).toContain("unknown option '--often'");
    expect(stderr).toContain('Usage: npm start --');
  });

  test('refuses a repository that does not exist', async () => {
    const { code, stdout } = await run(
      process.execPath,
      [stackBundle, '--once', '--repo', join(folder, 'none')],
      {
        env: { TMPDIR: folder },
      },
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED: .*does not exist/m);
    await expectNothingLeft();
  });

  test('refuses a repository without environments', async () => {
    const { path } = await initBare(join(folder, 'empty.git'), 'main');
    const { code, stdout } = await run(process.execPath, [stackBundle, '--once', '--repo', path], {
      env: { TMPDIR: folder },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED: the repository has no environments/m);
    await expectNothingLeft();
  });
});
