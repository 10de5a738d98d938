import { once } from 'node:events';
import type { SpawnedProcess } from '@interlock/process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { start } from '../process/run.js';
import { Sandbox, type TestRemote } from '../testing/sandbox.js';
import { CatFile } from './cat-file.js';
import { ReaderSlots } from './reader-slots.js';

let sandbox: Sandbox;
let repository: TestRemote;
let processes: SpawnedProcess[];
let reader: CatFile;
let slots: ReaderSlots;

function open({ owner = 'a', idleMs = 60_000, answerMs = 60_000 } = {}): CatFile {
  const startProcess = () => {
    const environment = { PATH: process.env['PATH'] ?? '', GIT_DIR: repository.directory };
    const child = start({ program: 'git', args: ['cat-file', '--batch-command'], environment });
    processes.push(child);
    return child;
  };
  return new CatFile({ owner, startProcess, idleMs, answerMs, slots });
}

beforeEach(() => {
  sandbox = new Sandbox();
  repository = sandbox.remote();
  processes = [];
  slots = new ReaderSlots(1);
  reader = open();
});
afterEach(() => {
  reader.close();
  sandbox.remove();
});

test('reads objects of any content by one process, in the order of the requests', async () => {
  const texts = ['', '\n', 'line\n', `${'0'.repeat(40)} missing\n`, 'x'.repeat(300_000), '\0\u00e9'];
  const ids = texts.map((text) => repository.blob(text));
  const absent = 'f'.repeat(40);
  const read = await Promise.all([...ids, absent].map((id) => reader.read(id, 1_000_000)));
  expect(read.slice(0, -1).map((object) => object?.content.toString())).toEqual(texts);
  expect(read.at(-1)).toBeUndefined();
  expect(processes).toHaveLength(1);
});

test('reads an object into memory of its own, which a cache can keep', async () => {
  const object = await reader.read(repository.blob('text'), 1_000);
  expect(object?.content.buffer.byteLength).toBeLessThan(100);
});

test('does not read an object that is too large, and continues', async () => {
  const large = repository.blob('x'.repeat(1_001));
  await expect(reader.read(large, 1_000)).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'ObjectTooLarge',
  });
  expect((await reader.read(repository.blob('small'), 1_000))?.content.toString()).toBe('small');
});

test('finds objects that arrive later, and references', async () => {
  expect(await reader.exists('refs/heads/dev')).toBe(false);
  const sha = repository.commit('refs/heads/dev', { a: '1' });
  expect(await reader.exists('refs/heads/dev')).toBe(true);
  expect((await reader.read(sha, 1_000))?.type).toBe('commit');
});

test('rejects the waiting requests of a process that dies, and starts another process', async () => {
  const id = repository.blob('text');
  await reader.read(id, 10);
  processes[0]?.kill('SIGSTOP');
  const waiting = expect(reader.read(id, 10)).rejects.toMatchObject({
    type: 'Transient',
    reason: 'GitFailed',
  });
  processes[0]?.kill('SIGKILL');
  await waiting;
  expect((await reader.read(id, 10))?.content.toString()).toBe('text');
  expect(processes).toHaveLength(2);
});

test('kills a process that stalls for longer than the timeout, and starts another process', async () => {
  const id = repository.blob('text');
  reader = open({ answerMs: 2_000 });
  expect((await reader.read(id, 10))?.content.toString()).toBe('text');
  processes[0]?.kill('SIGSTOP');
  const waiting = await Promise.allSettled([reader.read(id, 10), reader.exists(id)]);
  expect(waiting).toMatchObject([
    { reason: { type: 'Transient', reason: 'GitTimeout' } },
    { reason: { type: 'Transient', reason: 'GitTimeout' } },
  ]);
  expect((await reader.read(id, 10))?.content.toString()).toBe('text');
  const [stalled] = processes;
  if (stalled?.signalCode === null) await once(stalled, 'close');
  expect(stalled?.signalCode).toBe('SIGKILL');
  expect(processes).toHaveLength(2);
});

test('treats a process that answers in tiny pieces as stalled', async () => {
  const drops = `while :; do printf x; sleep 0.1; done`;
  const startProcess = () => start({ program: '/bin/sh', args: ['-c', drops], environment: {} });
  reader = new CatFile({ owner: 'a', startProcess, idleMs: 60_000, answerMs: 1_000, slots });
  await expect(reader.exists('HEAD')).rejects.toMatchObject({ reason: 'GitTimeout' });
});

test('ends its process when it is idle, and starts another process for the next request', async () => {
  reader = open({ idleMs: 5 });
  const id = repository.blob('text');
  await reader.read(id, 10);
  const [first] = processes;
  if (first?.exitCode === null && first.signalCode === null) await once(first, 'close');
  expect((await reader.read(id, 10))?.content.toString()).toBe('text');
  expect(processes.length).toBeGreaterThan(1);
});

test('rejects waiting requests when it is closed', async () => {
  const waiting = expect(reader.read(repository.blob('text'), 10)).rejects.toMatchObject({
    reason: 'GitClosed',
  });
  reader.close();
  await waiting;
});

test("closes the process of another mirror's reader when there are too many", async () => {
  const id = repository.blob('text');
  await reader.read(id, 10);
  const other = open();
  expect((await other.read(id, 10))?.content.toString()).toBe('text');
  const [first, second] = processes;
  if (first?.exitCode === null && first.signalCode === null) await once(first, 'close');
  expect(second).toMatchObject({ exitCode: null, signalCode: null });
  const both = await Promise.all([reader.read(id, 10), other.read(id, 10)]);
  expect(both.map((object) => object?.content.toString())).toEqual(['text', 'text']);
  other.close();
});
