import { setTimeout as sleep } from 'node:timers/promises';
import { Gate, GateBinding } from '@interlock/api';
import { aborted, timeLimit } from '@interlock/base';
import type { Cache, Client } from '@interlock/kube';
import { fluxKinds, installForeignKinds, type ForeignObject } from '@interlock/stack';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { fieldManager, namespace, withGateCluster } from './cluster.js';

const { GitRepository } = fluxKinds;
const targetCount = 1_000;
const runs = 5;
const timeoutMs = 120_000;
const lookMs = 10;

/**
 * Closes and opens a gate to which 1,000 GitRepositories are bound, and measures the time until the last of them is
 * held or released. The bundle of gate-controller runs in a separate process, and the embedded cluster in this
 * process.
 */
export function measureTransition({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  return withGateCluster(async ({ client, controller, cacheOf }) => {
    say(`gates: ${targetCount} bound sources`);
    await createTargets(client, signal);
    const cache = await cacheOf(GitRepository, signal);
    controller.start();
    const turn = async (closed: boolean): Promise<number> => {
      const startedAt = performance.now();
      const all = everyOne(cache, closed, signal);
      await client.apply(
        Gate,
        { metadata: { name: 'freeze', namespace }, spec: { closed } },
        { fieldManager },
      );
      await all;
      const ms = performance.now() - startedAt;
      await settled(client, closed, signal);
      return ms;
    };
    await settled(client, false, signal);
    await turn(true);
    await turn(false);
    const closing: number[] = [];
    const opening: number[] = [];
    for (let run = 0; run < runs; run++) {
      say(`gates: close and open, run ${run + 1} of ${runs}`);
      closing.push(await turn(true));
      opening.push(await turn(false));
    }
    return [
      { metric: `a gate closes: ${targetCount} targets held after`, value: median(closing), unit: 'ms' },
      { metric: `a gate opens: ${targetCount} targets released after`, value: median(opening), unit: 'ms' },
    ];
  });
}

async function createTargets(client: Client, signal: AbortSignal): Promise<void> {
  await installForeignKinds(client, Object.values(fluxKinds));
  await client.apply(
    Gate,
    { metadata: { name: 'freeze', namespace }, spec: { closed: false } },
    { fieldManager },
  );
  const spec = { targets: [{ kind: GitRepository.kind }], refs: [{ name: 'freeze' }] };
  await client.apply(GateBinding, { metadata: { name: 'freeze', namespace }, spec }, { fieldManager });
  for (let index = 0; index < targetCount; index++) {
    const metadata = { name: `source-${index}`, namespace };
    const spec = { url: `https://git.example/${index}`, ref: { branch: 'main' } };
    await client.apply(GitRepository, { metadata, spec }, { fieldManager, signal });
  }
}

/** Resolves when all targets are held, or when none is held. @throws Error after the timeout */
async function everyOne(cache: Cache<ForeignObject>, held: boolean, signal: AbortSignal): Promise<void> {
  const late = timeLimit(timeoutMs, signal);
  const done = new AbortController();
  const missing = new Set(
    cache
      .list()
      .filter((one) => isHeld(one) !== held)
      .map(({ metadata }) => metadata.name),
  );
  const off = cache.subscribe((event) => {
    if (isHeld(event.object) === held) missing.delete(event.object.metadata.name);
    if (missing.size === 0) done.abort();
  });
  await Promise.race([aborted(done.signal), aborted(late)]);
  off();
  if (missing.size > 0) throw new Error(`${missing.size} targets are not ${held ? 'held' : 'released'}`);
}

function isHeld({ spec }: ForeignObject): boolean {
  return spec?.['suspend'] === true;
}

/**
 * Waits until the binding reports its current targets, so that no turn begins with remaining work of the previous
 * turn.
 */
async function settled(client: Client, closed: boolean, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { status } = await client.get(GateBinding, { name: 'freeze', namespace }, { signal });
    if (status?.targetCount === targetCount && status.heldCount === (closed ? targetCount : 0)) return;
    if (performance.now() > deadline) throw new Error('the binding does not report its targets');
    await sleep(lookMs, undefined, { signal });
  }
}
