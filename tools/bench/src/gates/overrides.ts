import { Gate, GateOverride, timestampOf, type GateState } from '@interlock/api';
import { aborted, timeLimit } from '@interlock/base';
import type { Cache, Client } from '@interlock/kube';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { fieldManager, namespace, withGateCluster } from './cluster.js';

const endedCount = 20_000;
const atOnce = 32;
const runs = 5;
const timeoutMs = 300_000;
const gate = 'freeze';

/**
 * Measures the time from the request for an override until its gate is open. 20,000 overrides of the same gate ended
 * before the process started, and the recorded state does not include them.
 */
export function measureOverrides({ say, signal }: BenchmarkContext): Promise<Measurement[]> {
  return withGateCluster(async ({ client, controller, cacheOf }) => {
    say(`gates: ${endedCount} ended overrides`);
    await client.apply(
      Gate,
      { metadata: { name: gate, namespace }, spec: { closed: true } },
      { fieldManager },
    );
    await createEnded(client, signal);
    const gates = await cacheOf(Gate, signal);
    const startedAt = performance.now();
    controller.start();
    await stateIs(gates, 'Closed', signal);
    const firstMs = performance.now() - startedAt;
    const opening: number[] = [];
    for (let run = 0; run < runs; run++) {
      say(`gates: an override opens a gate, run ${run + 1} of ${runs}`);
      const key = { name: `open-${run}`, namespace };
      const requestedAt = performance.now();
      await client.create(GateOverride, { metadata: key, spec: specOf('10m') }, { signal });
      await stateIs(gates, 'Open', signal);
      opening.push(performance.now() - requestedAt);
      await client.delete(GateOverride, key, { signal });
      await stateIs(gates, 'Closed', signal);
    }
    const ended = `${endedCount} ended overrides`;
    return [
      { metric: `a gate with ${ended} has a state after the start`, value: firstMs, unit: 'ms' },
      { metric: `an override opens a gate with ${ended} after`, value: median(opening), unit: 'ms' },
    ];
  });
}

async function createEnded(client: Client, signal: AbortSignal): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < endedCount) {
      const metadata = { name: `ended-${next++}`, namespace };
      const { metadata: made } = await client.create(
        GateOverride,
        { metadata, spec: specOf('1m') },
        { signal },
      );
      const status = { phase: 'Expired' as const, endedAt: timestampOf(Date.now()) };
      await client.apply(
        GateOverride,
        { metadata: { ...metadata, ...(made.uid !== undefined && { uid: made.uid }) }, status },
        { fieldManager, subresource: 'status', signal },
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function specOf(duration: string) {
  return { gateRef: { name: gate }, effect: 'Open' as const, reason: 'bench', duration };
}

/** Resolves when the status of the gate has the state. @throws Error after the timeout */
async function stateIs(gates: Cache<Gate>, state: GateState, signal: AbortSignal): Promise<void> {
  const late = timeLimit(timeoutMs, signal);
  const done = new AbortController();
  const off = gates.subscribe(({ object }) => {
    if (object.status?.state === state) done.abort();
  });
  await Promise.race([aborted(done.signal), aborted(late)]);
  off();
  if (!done.signal.aborted) throw new Error(`the gate is not ${state}`);
}
