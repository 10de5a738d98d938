import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ConfigMap, Namespace } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ApiServer } from './support/api-server.js';
import { Program, processesWith, root } from './support/program.js';

const timeoutMs = 300_000;
const stack = 'tools/stack/dist/main.mjs';
let folder: string;
/** Folder for the runs of a test. */
let home: string;
let server: ApiServer;
let before: string[];
const started: Program[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'interlock-e2e-given-'));
  server = await ApiServer.start(folder);
}, timeoutMs);
beforeEach(async () => {
  home = await mkdtemp(join(folder, 'home-'));
  before = await server.everything();
});
afterEach(async () => {
  for (const program of started.splice(0)) await program.destroy();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command of docs/demo.md with this flag in the cluster of the test. */
async function start(flag: string): Promise<Program> {
  const page = await readFile(join(root, 'docs/demo.md'), 'utf8');
  const commands = [...page.matchAll(/^npm start -- (.*)$/gm)].map(([, args = '']) => args.split(' '));
  const args = commands.find((one) => one.includes(flag));
  if (args === undefined) throw new Error(`docs/demo.md has no command with ${flag}`);
  const here: Record<string, string> = {
    '--kubeconfig': server.kubeconfig,
    '--context': 'devcluster',
    '--webhook-host': 'localhost',
  };
  const own = args.map((arg, index) => here[args[index - 1] ?? ''] ?? arg);
  const program = Program.start(process.execPath, [stack, ...own], { env: { TMPDIR: home } });
  started.push(program);
  return program;
}

async function expectNothingLeft(): Promise<void> {
  expect(await server.everything()).toEqual(before);
  expect(await processesWith(home)).toEqual([]);
  expect(await readdir(home)).toEqual([]);
}

/** Waits until a run succeeds. */
async function expectSuccess(program: Program): Promise<void> {
  const ended = await program.ended;
  expect({ ...ended, stderr: program.stderr, stdout: program.stdout }).toMatchObject({ code: 0, stderr: '' });
  expect(program.stdout).not.toContain('PROBLEM');
  expect(program.stdout.trimEnd().split('\n').at(-1)).toBe(
    'All objects of npm start are deleted from the cluster.',
  );
}

describe('npm start -- --kubeconfig', () => {
  test(
    'promotes in a cluster of another process after a killed run, and deletes the objects of both',
    async () => {
      const killed = await start('--once');
      await killed.says('pull request open');
      await killed.destroy();
      expect(await server.everything()).not.toEqual(before);
      await rm(home, { recursive: true });
      home = await mkdtemp(join(folder, 'home-'));
      const next = await start('--once');
      await expectSuccess(next);
      expect(next.stdout).toContain('Deletes the objects of an earlier run of');
      expect(next.stdout).toContain('Every environment runs the newest dry commit.');
      await expectNothingLeft();
    },
    timeoutMs,
  );

  test(
    'responds to security events right after another run, while the API server is killed and restarted',
    async () => {
      const program = await start('respond');
      await program.says('Routed: to acme/deployments');
      await server.kill();
      await server.serve();
      await expectSuccess(program);
      expect(program.stdout).toContain('Every event has the expected response.');
      await expectNothingLeft();
    },
    timeoutMs,
  );

  test(
    'refuses a cluster in which its namespace belongs to another user, and does not change it',
    async () => {
      const { client } = server;
      const name = 'interlock-demo';
      await client.create(Namespace, { metadata: { name } });
      const theirs = await client.create(ConfigMap, { metadata: { namespace: name, name: 'theirs' } });
      const withTheirs = await server.everything();
      const program = await start('--once');
      expect((await program.ended).code).toBe(1);
      expect(program.stdout).toContain(
        `FAILED: Namespace ${name} exists and was not created by npm start, but by the field manager e2e: ` +
          'delete it if nothing needs it, or use another cluster',
      );
      expect((await (await start('--clean')).ended).code).toBe(0);
      expect(await server.everything()).toEqual(withTheirs);
      expect(await client.get(ConfigMap, theirs.metadata)).toEqual(theirs);
      await client.delete(Namespace, { name });
      await eventually(async () => expect(await server.everything()).toEqual(before));
    },
    timeoutMs,
  );

  test(
    'deletes everything on Ctrl-C, and refuses another run until then',
    async () => {
      const program = await start('--webhook-host');
      await program.says('pull request open');
      const second = await start('--once');
      expect((await second.ended).code).toBe(1);
      expect(second.stdout).toMatch(/^FAILED: a run of \S+ is in progress in this cluster/m);
      program.signal('SIGINT');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stdout).toContain('Stopped.');
      expect(program.stdout).not.toMatch(/FAILED|PROBLEM/);
      await expectNothingLeft();
    },
    timeoutMs,
  );
});
