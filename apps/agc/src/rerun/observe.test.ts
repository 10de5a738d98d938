import { expect, it } from '@jest/globals';
import { runnerLabels, TypedError } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import type { ConfigMap } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { group, now } from '../job/testing/builders.js';
import { observeRerun } from './observe.js';
import { encodeRerun, withRequest } from './record.js';

const signal = AbortSignal.timeout(60_000);
const record = withRequest(undefined, { cause: 'claimLost', isCancelled: false, runnerName: 'linux-1' }, now);
const config: ConfigMap = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name: 'rerun-linux-lost', labels: { [runnerLabels.runnerGroup]: 'linux' } },
  data: { 'rerun.json': encodeRerun(record) },
};

it('ends the search for a lost claim after a while when the installation has many repositories', async () => {
  const clock = new FakeClock();
  const searched: string[] = [];
  const find = async (repository: string): Promise<undefined> => {
    searched.push(repository);
    await clock.advance(1_000);
    if (searched.length > 1_000) throw new TypedError('Transient', 'the search does not end');
    return undefined;
  };
  const context = {
    ...{ namespace: 'team-a', manager: { clock } },
    groups: { get: () => ({}) },
    caches: { groups: { get: () => group }, reruns: { list: () => [] } },
    runs: { findByRunner: find, findEndedByRunner: find },
    repositories: async () => Array.from({ length: 1_000 }, (_, number) => `acme/${number}`),
  } as unknown as AgcContext;
  const observed = await observeRerun(context, config, { now: now + 60_000, signal });
  expect(observed).toMatchObject({ found: undefined, run: undefined });
  expect(searched.slice(0, 2)).toEqual(['acme/0', 'acme/0']);
});
