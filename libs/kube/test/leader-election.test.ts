import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Lease } from '../src/client/kinds.js';
import { until } from '../src/testing/until.js';
import { namespace, startWidgetCluster, Widget, type WidgetCluster } from './widget-cluster.js';
import { startProcess, type Process } from './widget-controller.js';

let widgets: WidgetCluster;
let first: Process;
let second: Process;

/** Short, but longer than any pause of a busy machine. */
const periods = { leaseDurationMs: 6_000, renewDeadlineMs: 5_000, retryPeriodMs: 200 };

function contender(identity: string): Process {
  const leaderElection = { leaseName: 'widgets', namespace, identity, ...periods };
  return startProcess(widgets, { leaderElection });
}

const holder = async () => (await widgets.client.get(Lease, { namespace, name: 'widgets' })).spec;

beforeEach(async () => {
  widgets = await startWidgetCluster();
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
    expect(await first.ended).toBe('Another process may lead now.');
    const write = first.manager.client.create(Widget, { metadata: { name: 'x', namespace } });
    await expect(write).rejects.toMatchObject({ reason: 'LeadershipLost' });
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
