import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGit, type Git } from '@interlock/git';
import type { BenchmarkContext, Measurement } from '../benchmark.js';

const repositories = 1_000;
const atOnce = 8;
const branch = 'refs/heads/main';
const kibibyte = 1024;

/**
 * Measures the memory per mirror when each of 1,000 tenants has a mirror that was refreshed and read, and the remaining
 * memory after the mirrors are forgotten. The remote is a folder, because only the memory of this process is measured.
 */
export async function measureMirrors({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-mirrors-'));
  const git = createGit({ cacheDir: join(folder, 'cache') });
  try {
    const sha = await createRemote(folder);
    const url = `file://${folder}/remote.git`;
    await readMirror(git, url, 'first', sha, signal);
    const before = bytesInUse();
    say(`promoter: memory of ${repositories} mirrors`);
    const tenants = Array.from({ length: repositories }, (_, index) => `team-${index}/web`);
    for (let at = 0; at < tenants.length; at += atOnce)
      await Promise.all(
        tenants.slice(at, at + atOnce).map((tenant) => readMirror(git, url, tenant, sha, signal)),
      );
    const held = bytesInUse() - before;
    for (const tenant of tenants) await git.forget(tenant);
    return [perMirror('read', held), perMirror('forgotten', bytesInUse() - before)];
  } finally {
    git.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readMirror(git: Git, url: string, tenant: string, sha: string, signal: AbortSignal) {
  const mirror = git.mirror({ url, tenant, onDisk: true });
  await mirror.refresh([branch], { signal });
  await mirror.commit(sha, { signal });
}

async function createRemote(folder: string): Promise<string> {
  const directory = join(folder, 'remote.git');
  const identity = { NAME: 'Bench', EMAIL: 'bench@example.com' };
  const variables = Object.entries(identity).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  const env = { ...process.env, ...(Object.fromEntries(variables) as Record<string, string>) };
  const run = async (...args: string[]) => (await promisify(execFile)('git', args, { env })).stdout.trim();
  await run('init', '--quiet', '--bare', directory);
  const inRemote = (...args: string[]) => run(`--git-dir=${directory}`, ...args);
  await inRemote('config', 'uploadpack.allowFilter', 'true');
  const tree = await inRemote('hash-object', '-t', 'tree', '-w', '/dev/null');
  const sha = await inRemote('commit-tree', tree, '-m', 'a commit');
  await inRemote('update-ref', branch, sha);
  return sha;
}

function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function perMirror(when: string, bytes: number): Measurement {
  const value = bytes / repositories / kibibyte;
  return { metric: `memory per mirror, 1,000 repositories, ${when}`, value, unit: 'KiB' };
}
