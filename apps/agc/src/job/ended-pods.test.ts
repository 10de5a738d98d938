import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@interlock/kube';
import { EndedPods } from './ended-pods.js';

const secret = 'job-plan-1';
type Status = NonNullable<Pod['status']>;

function pod(status: Status, deletionTimestamp?: string): Pod {
  const metadata = {
    name: 'runner-linux-plan-1',
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status };
}

function withRunner(state: object): Status {
  const runner = { name: 'runner', image: '', imageID: '', ready: false, restartCount: 0, state };
  return { phase: 'Running', containerStatuses: [runner] };
}

const ended = pod(withRunner({ terminated: { exitCode: 103 } }), '2026-01-01T00:00:00Z');

describe('EndedPods', () => {
  it('keeps how a pod ended until the record of its job is removed', () => {
    const pods = new EndedPods();
    pods.keep(secret, ended);
    expect(pods.get(secret, 'runner-linux-plan-1')).toBe(ended);
    pods.forget(secret);
    expect(pods.get(secret, 'runner-linux-plan-1')).toBeUndefined();
  });

  it('does not confuse a replaced pod with its replacement', () => {
    const pods = new EndedPods();
    pods.keep(secret, ended);
    expect(pods.get(secret, 'runner-linux-plan-1-1')).toBeUndefined();
  });

  it.each<[string, Pod]>([
    ['runs', pod(withRunner({ running: {} }))],
    ['has not started', pod({ phase: 'Pending' })],
    ['was deleted long ago', pod(withRunner({ running: {} }), '1970-01-01T00:00:00Z')],
  ])('does not keep a state in which the pod %s', (_, unfinished) => {
    const pods = new EndedPods();
    pods.keep(secret, unfinished);
    expect(pods.get(secret, 'runner-linux-plan-1')).toBeUndefined();
  });
});
