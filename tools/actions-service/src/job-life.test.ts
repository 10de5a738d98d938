import { afterEach, expect, test } from '@jest/globals';
import { closeHarnesses, pollsWaiting, startHarness } from './testing/harness.js';

afterEach(closeHarnesses);

test('a queued job is acquired by a runner, renewed and completed', async () => {
  const { service, connect, clock } = await startHarness();
  const session = await connect('r1');
  const job = service.enqueue({ repository: 'acme/web', labels: ['Linux'] });
  const held = await session.take();
  expect(held.planId).toBe(job.planId);
  expect((await session.renew(held)).json['lockedUntil']).toBe(new Date(clock.now() + 600_000).toISOString());
  expect((await session.start(held)).status).toBe(200);
  expect((await session.complete(held)).status).toBe(204);
  expect(service.job(job.id)).toMatchObject({
    status: 'completed',
    conclusion: 'success',
    workers: ['worker-1'],
  });
  expect(service.verdict()).toMatchObject({
    jobs: 1,
    completed: 1,
    lost: 0,
    runTwice: 0,
    open: 0,
    violations: 0,
  });
  expect(service.violations).toEqual([]);
});

test('a waiting poll returns a job as soon as it is queued, and ends after 50 seconds without a job', async () => {
  const { service, connect, clock } = await startHarness();
  const session = await connect('r1');
  const empty = session.poll();
  await pollsWaiting(service, 1);
  await clock.advance(49_999);
  expect(service.journal.counts()).not.toHaveProperty('/broker/message 202');
  await clock.advance(1);
  expect(await empty).toMatchObject({ status: 202, text: '' });
  const offer = session.offer();
  await pollsWaiting(service, 1);
  service.enqueue({ repository: 'acme/web', labels: ['linux'] });
  expect((await offer).requestId).toMatch(/^[0-9a-f-]{36}$/);
});
