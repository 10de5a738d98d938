import { expect, it } from '@jest/globals';
import { OneReplica } from './harness/one-replica.js';

const minute = 60_000;
const agc = new OneReplica({ renewalsKeepUnstarted: false });
const { time } = agc;

it('runs a job again that the service has ended because its worker pod did not start for 15 minutes', async () => {
  const resources = { requests: { cpu: '5000' } };
  const podTemplate = { spec: { containers: [{ name: 'runner', resources }] } };
  const options = { pendingPodDeadline: '40m', evictionRetryDelay: '1s' };
  await agc.gateway.createGroup('full', { ...options, podTemplate });
  const job = agc.gateway.enqueue('full');
  await time.until(() => expect(agc.gateway.job(job).cause).toBe('unstarted'), 20 * minute);
  await time.until(() => expect(agc.gateway.latest(job).attempt).toBe(2), 10 * minute);
}, 120_000);
