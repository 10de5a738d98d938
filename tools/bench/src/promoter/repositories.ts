import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterScmProvider, GitRepository, PromotionStrategy } from '@interlock/api';
import { ensureNamespace } from '@interlock/stack';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { Inspector } from '../inspector.js';
import { begin, commitDry, dryBranch } from './repository.js';
import { Fixture } from './fixture.js';

const repositories = 1_000;
const atOnce = 8;
const runs = 5;
const runMs = 4_000;
const environment = 'dev';
const mebibyte = 1024 ** 2;

/**
 * Measures how often the promoter reads remotes, and its memory, when 1,000 tenants have one unchanged remote each that
 * is always due for a refresh.
 */
export async function measureRepositories({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  const fixture = await Fixture.start({
    args: ['--poll-interval=1s', '--leader-elect=false'],
    env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  });
  try {
    const inspector = await Inspector.connect(join(fixture.folder, 'promoter/log'));
    try {
      const team = await fixture.team('many');
      const [first = ''] = await commitDry(team.local, 1);
      await begin(team.local, [environment], first);
      say(`promoter: refreshes of ${repositories} repositories`);
      await fixture.apply(ClusterScmProvider, { name: 'forge' }, { noop: {} });
      const names = Array.from({ length: repositories }, (_, index) => `tenant-${index}`);
      for (let at = 0; at < repositories; at += atOnce)
        await Promise.all(
          names.slice(at, at + atOnce).map((name) => addTenant(fixture, name, team.repository.cloneUrl)),
        );
      await fixture.until(async () => (await refreshes(fixture)) >= 2 * repositories, signal);
      const rates: number[] = [];
      while (rates.length < runs) rates.push(await rate(fixture, signal));
      const { rss } = await inspector.memory();
      return [
        { metric: 'refreshes, 1,000 repositories', value: median(rates), unit: 'per second' },
        { metric: 'RSS after GC, 1,000 repositories', value: rss / mebibyte, unit: 'MiB' },
      ];
    } finally {
      inspector.close();
    }
  } finally {
    await fixture.close();
  }
}

async function addTenant(fixture: Fixture, namespace: string, url: string): Promise<void> {
  await ensureNamespace(fixture.platform.client, namespace);
  const key = { namespace, name: 'app' };
  const scmProviderRef = { kind: ClusterScmProvider.kind, name: 'forge' };
  await fixture.apply(GitRepository, key, { scmProviderRef, noop: { url } });
  await fixture.apply(PromotionStrategy, key, {
    repoRef: { name: key.name },
    dryBranch,
    environments: [{ branch: environment }],
  });
}

async function refreshes(fixture: Fixture): Promise<number> {
  return (await fixture.samples()).sum('git_operations_total', { operation: 'ls-remote' });
}

/** Returns the number of remotes that are read per second. */
async function rate(fixture: Fixture, signal: AbortSignal): Promise<number> {
  const [before, start] = [await refreshes(fixture), performance.now()];
  await sleep(runMs, undefined, { signal });
  return ((await refreshes(fixture)) - before) / ((performance.now() - start) / 1000);
}
