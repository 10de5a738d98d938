import { MovableClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Lease } from '../src/client/kinds.js';
import { until } from '../src/testing/until.js';
import { namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';
import { startProcess, type Process } from './widget-controller.js';

let widgets: WidgetCluster;
let first: Process;
let second: Process;
let clocks: { first: MovableClock; second: MovableClock };

/** So long that a lease expires only when a test advances the time, also on a machine that suspends processes. */
const periods = { leaseDurationMs: 600_000, renewDeadlineMs: 500_000, retryPeriodMs: 200 };

function contender(identity: 'first' | 'second'): Process {
  const leaderElection = { leaseName: 'widgets', namespace, identity, ...periods };
  return startProcess(widgets, { leaderElection, clock: clocks[identity] });
}

const holder = async () => (await widgets.client.get(Lease, { namespace, name: 'widgets' })).spec;

beforeEach(async () => {
  widgets = await startWidgetCluster();
  clocks = { first: new MovableClock(), second: new MovableClock() };
  first = contender('first');
  await until(async () => (await holder().catch(() => undefined))?.holderIdentity === 'first');
  second = contender('second');
  await until(() => second.log.some((line) => line['leader'] === 'first'));
});

afterEach(async () => {
  first.stop();
  second.stop();
  await Promise.all([first.ended, second.ended]);
  await widgets.close();
});

describe('a lease for two managers', () => {
  it('lets one manager work, and the other manager after the first has stopped', async () => {
    await widgets.createWidget('a');
    await until(() => first.reconciled.includes('a'));
    expect([second.reconciled, second.manager.ready()]).toEqual([[], true]);
    first.stop();
    expect(await first.ended).toBe('stopped');
    await until(() => second.reconciled.includes('a'));
    await widgets.createWidget('b');
    await until(() => second.reconciled.includes('b'));
    expect(first.reconciled).not.toContain('b');
    expect(await holder()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  });

  it('passes to the other manager when its holder is disconnected, which then writes nothing and ends', async () => {
    await first.cutOff();
    clocks.first.forward(periods.renewDeadlineMs);
    expect(await first.ended).toBe('Another process may lead now.');
    const write = first.manager.client.create(Widget, { metadata: { name: 'x', namespace } });
    await expect(write).rejects.toMatchObject({ reason: 'LeadershipLost' });
    while (!second.log.some((line) => line['leader'] === 'second')) {
      clocks.second.forward(periods.leaseDurationMs);
      /* It is ready again when it has read the lease. It may have missed a renewal before, from which it counts now. */
      await until(() => second.manager.ready());
    }
    await widgets.createWidget('a');
    await until(() => second.reconciled.includes('a'));
    expect(await holder()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  });

  it('stays with its holder during a restart of the API server', async () => {
    await widgets.cluster.restart();
    const renewedAt = (await holder())?.renewTime;
    await until(async () => (await holder())?.renewTime !== renewedAt);
    await widgets.createWidget('a');
    await until(() => first.reconciled.includes('a'));
    expect(await holder()).toMatchObject({ holderIdentity: 'first', leaseTransitions: 0 });
    expect(second.reconciled).toEqual([]);
  });
});
