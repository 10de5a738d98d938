import { afterEach, expect, test } from '@jest/globals';
import { closeHarnesses, startHarness } from './testing/harness.js';

afterEach(closeHarnesses);

const job = { repository: 'acme/web', labels: ['linux'] };

test('a job is one of the run service, so that the runner renews and completes it there', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  service.enqueue({ ...job, jobName: 'build' });
  const held = await session.take();
  expect(JSON.parse(held.payload)).toMatchObject({
    messageType: 'RunnerJobRequest',
    plan: { artifactLocation: '', artifactUri: '', planId: held.planId, planType: 'actions', version: 0 },
    timeline: { id: held.planId, changeId: 0, location: null },
    jobName: '__default',
    jobDisplayName: 'build',
  });
});
