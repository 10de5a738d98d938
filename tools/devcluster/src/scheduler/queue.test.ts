import { describe, expect, it } from '@jest/globals';
import { SchedulingQueue } from './queue.js';
import { podInfo, type PodInfo } from './snapshot.js';
import { pod } from './testing/objects.js';

function info(name: string, priority: number, second: number): PodInfo {
  const one = pod(name, { priority });
  one.metadata.creationTimestamp = `2026-01-01T00:00:0${String(second)}Z`;
  return podInfo(one);
}

const names = (pods: readonly PodInfo[]): string[] => pods.map(({ pod }) => pod.metadata.name);

describe('SchedulingQueue', () => {
  const [low, old, young] = [info('low', 0, 1), info('old', 5, 2), info('young', 5, 3)];
  const all = [low, young, old];

  it('orders pods by priority, then by age', () => {
    expect(names(new SchedulingQueue(() => 0).next(all))).toEqual(['old', 'young', 'low']);
  });

  it('omits a pod that did not fit until the cluster changes', () => {
    const queue = new SchedulingQueue(() => 0);
    queue.park(old);
    queue.park(low);
    expect(names(queue.next(all))).toEqual(['young']);
    queue.unpark(low.uid);
    expect(names(queue.next([low, old]))).toEqual(['low']);
    queue.unparkMany('all');
    expect(names(queue.next([low, old]))).toHaveLength(2);
  });

  it('lets other pods go first for a time that doubles with each failure', () => {
    let now = 0;
    const queue = new SchedulingQueue(() => now);
    queue.park(old);
    queue.park(old);
    queue.unparkMany('all');
    expect(names(queue.next(all))).toEqual(['young', 'low', 'old']);
    now = 1_999;
    expect(names(queue.next(all)).at(-1)).toBe('old');
    now = 2_000;
    expect(names(queue.next(all))[0]).toBe('old');
  });

  it('forgets the failures of a pod that was scheduled', () => {
    const queue = new SchedulingQueue(() => 0);
    queue.park(old);
    queue.forget(old.uid);
    expect(names(queue.next(all))[0]).toBe('old');
  });
});
