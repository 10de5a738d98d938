import { expect, it } from '@jest/globals';
import { jobEvents } from './conclude.js';
import { observedJob, pod } from './testing/builders.js';

it('reports what a pod waited for that is deleted because it did not start', () => {
  const waitsFor = 'container runner waits: ImagePullBackOff';
  const observed = observedJob({ record: { phase: 'PodCreated' }, pod: { ...pod, waitsFor } });
  const reason = 'pending_deadline';
  const [event] = jobEvents(observed, { type: 'stop', reason }, { type: 'stopped', reason });
  expect(event?.reason).toBe('WorkerPodStuckPending');
  expect(event?.note).toMatch(/is deleted \(pending_deadline\): container runner waits: ImagePullBackOff$/);
});
