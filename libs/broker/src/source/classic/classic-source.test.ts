import { describe } from '@jest/globals';
import type { Dialect } from '../../dialect.js';
import { ClassicFixture } from '../../testing/classic-fixture.js';
import { describeJobSource, type JobSourceHarness } from '../../testing/job-source-contract.js';

async function startHarness(dialect: Dialect['name']): Promise<JobSourceHarness> {
  const fixture = await ClassicFixture.start({ service: { dialect } });
  const { service } = fixture;
  return {
    open: async ({ capacity, held }) => {
      const recorder = await fixture.open(held);
      recorder.source.setCapacity(capacity);
      return recorder;
    },
    enqueue: () => service.enqueue({ repository: 'acme/web', labels: ['self-hosted'] }).id,
    cancel: (jobId) => service.cancelRun(service.job(jobId)!.runId),
    state: (jobId) => {
      const { status, conclusion } = service.job(jobId)!;
      return { status, conclusion };
    },
    startWorker: (token) => fixture.startWorker(token),
    crash: () => fixture.crash(),
    runners: () => Promise.resolve(service.runners().map(({ name }) => name)),
    violations: () => service.violations,
    logLines: () => fixture.lines,
    close: () => fixture.close(),
  };
}

describe.each<Dialect['name']>(['live', 'seed'])('a classic source of the %s dialect', (dialect) => {
  describeJobSource(() => startHarness(dialect));
});
