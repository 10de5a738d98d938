import { FakeClock } from '@interlock/base/testing';
import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createKubeMetrics } from './metrics.js';
import { WorkQueue } from './queue.js';

/** Returns the lines of the exposition that are samples of `name`. */
async function samples(registry: Registry, name: string): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
}

it('reports a controller under the names of controller-runtime', async () => {
  const registry = new Registry();
  const controller = createKubeMetrics(registry).controller('web');
  controller.maxConcurrent(4);
  controller.activeWorkers(1);
  controller.reconciled('success', 0.02);
  controller.reconciled('error', 0.02);
  controller.failed();
  controller.failedTerminally();
  controller.panicked();
  controller.timedOut();
  const prefix = 'controller_runtime_';
  for (const [name, sample] of [
    ['reconcile_errors_total', '{controller="web"} 1'],
    ['terminal_reconcile_errors_total', '{controller="web"} 1'],
    ['reconcile_panics_total', '{controller="web"} 1'],
    ['reconcile_timeouts_total', '{controller="web"} 1'],
    ['max_concurrent_reconciles', '{controller="web"} 4'],
    ['active_workers', '{controller="web"} 1'],
    ['reconcile_time_seconds_count', '{controller="web"} 2'],
    ['reconcile_time_seconds_bucket', '{le="0.025",controller="web"} 2'],
  ]) {
    expect(await samples(registry, `${prefix}${name}`)).toContain(`${prefix}${name}${sample}`);
  }
  expect(await samples(registry, 'controller_runtime_reconcile_total')).toEqual([
    'controller_runtime_reconcile_total{controller="web",result="success"} 1',
    'controller_runtime_reconcile_total{controller="web",result="error"} 1',
  ]);
});

it('reports a queue under the names of client-go', async () => {
  const registry = new Registry();
  const clock = new FakeClock();
  const queue = new WorkQueue({
    clock,
    random: () => 0,
    metrics: createKubeMetrics(registry).queue('web'),
  });
  queue.add('a');
  queue.add('b');
  queue.add('c');
  await clock.advance(2_000);
  await queue.get();
  await clock.advance(3_000);
  await queue.get();
  await clock.advance(500);
  queue.addRateLimited('d');
  queue.done('b');
  const labels = '{name="web",controller="web"}';
  for (const [name, value] of [
    ['depth', 2],
    ['adds_total', 4],
    ['retries_total', 1],
    ['queue_duration_seconds_sum', 7],
    ['work_duration_seconds_sum', 0.5],
    ['unfinished_work_seconds', 3.5],
    ['longest_running_processor_seconds', 3.5],
  ]) {
    expect(await samples(registry, `workqueue_${name}`)).toEqual([`workqueue_${name}${labels} ${value}`]);
  }
});

it('reports the leader', async () => {
  const registry = new Registry();
  const metrics = createKubeMetrics(registry);
  metrics.leader('web', true);
  metrics.leaderSlowPath('web');
  metrics.eventDropped('full');
  expect(await samples(registry, 'leader_election_master_status')).toEqual([
    'leader_election_master_status{name="web"} 1',
  ]);
  metrics.leader('web', false);
  expect(await samples(registry, 'leader_election_master_status')).toEqual([
    'leader_election_master_status{name="web"} 0',
  ]);
  expect(await samples(registry, 'leader_election_slowpath_total')).toEqual([
    'leader_election_slowpath_total{name="web"} 1',
  ]);
});
