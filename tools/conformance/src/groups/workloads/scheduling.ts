import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { conditionOf } from '../../suite/conditions.js';
import type { Body } from '../../suite/body.js';
import {
  createPod,
  onNode,
  openNode,
  pauseContainer,
  untilAssigned,
  untilUnschedulable,
} from '../../suite/scheduled-pods.js';
import type { Scope } from '../../suite/scope.js';

const tooLarge = { containers: [pauseContainer({ resources: { requests: { cpu: '100000' } } })] };
const gate = { name: 'example.com/gate' };

/** Waits for the event of a pod with a reason. */
async function eventOf(scope: Scope, pod: string, reason: string): Promise<Body> {
  const query = `fieldSelector=involvedObject.name=${pod},reason=${reason}`;
  const { body } = await scope.eventually(
    `${scope.core('events')}?${query}`,
    (answer) => answer.body.items.length > 0,
  );
  return body.items[0] as Body;
}

/** Declares the rules about scheduling and its events. */
export function schedulingRules(rule: Rule): void {
  rule('assigns a pod to a node that is ready', async (scope) => {
    const { path } = await createPod(scope, 'any');
    const { body } = await untilAssigned(scope, path);
    expect(conditionOf(body, 'PodScheduled')?.status).toBe('True');
    const node = await scope.api.get(`/api/v1/nodes/${String(body.spec?.['nodeName'])}`);
    expect(conditionOf(node.body, 'Ready')?.status).toBe('True');
  });

  rule('records an event of the assignment of a pod', async (scope) => {
    const { name, path } = await createPod(scope, 'event');
    const { body } = await untilAssigned(scope, path);
    const message = `Successfully assigned ${scope.namespace}/${name} to ${String(body.spec?.['nodeName'])}`;
    expect(await eventOf(scope, name, 'Scheduled')).toMatchObject({
      type: 'Normal',
      message,
      reportingComponent: 'default-scheduler',
    });
  });

  rule('leaves a pod pending that requests more than any node has, and reports why', async (scope) => {
    const { name, path } = await createPod(scope, 'large', tooLarge);
    const message = await untilUnschedulable(scope, path);
    expect(message).toMatch(/^0\/\d+ nodes are available: .*\d+ Insufficient cpu/);
    const { body } = await scope.api.get(path);
    expect(body.spec).not.toHaveProperty('nodeName');
    expect(body.status).toMatchObject({ phase: 'Pending' });
    expect(conditionOf(body, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    const event = await eventOf(scope, name, 'FailedScheduling');
    expect(event).toMatchObject({ type: 'Warning', message: expect.stringContaining('Insufficient cpu') });
  });

  rule('reports that preemption does not help a pod that is larger than any node', async (scope) => {
    const { path } = await createPod(scope, 'unhelpful', tooLarge);
    expect(await untilUnschedulable(scope, path)).toMatch(
      /preemption: .*Preemption is not helpful for scheduling/,
    );
  });

  rule('assigns a pod to the node that its nodeSelector selects', async (scope) => {
    const node = await openNode(scope);
    const { path } = await createPod(scope, 'selector', onNode(node));
    expect((await untilAssigned(scope, path)).body.spec).toMatchObject({ nodeName: node.metadata.name });
  });

  rule('leaves a pod pending whose nodeSelector selects no node', async (scope) => {
    const { path } = await createPod(scope, 'nowhere', {
      nodeSelector: { 'example.com/none': scope.name('v') },
    });
    expect(await untilUnschedulable(scope, path)).toContain("didn't match Pod's node affinity/selector");
  });

  rule('assigns a pod to the node that its required node affinity names', async (scope) => {
    const { name } = (await openNode(scope)).metadata;
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] };
    const required = { nodeSelectorTerms: [term] };
    const { path } = await createPod(scope, 'affinity', {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    });
    expect((await untilAssigned(scope, path)).body.spec).toMatchObject({ nodeName: name });
  });

  rule('keeps pods apart that require it, until one of them is gone', async (scope) => {
    const app = scope.name('apart');
    const term = { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' };
    const alone = {
      labels: { app },
      ...onNode(await openNode(scope)),
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    };
    const first = await createPod(scope, 'first', alone);
    await untilAssigned(scope, first.path);
    const second = await createPod(scope, 'second', alone);
    expect(await untilUnschedulable(scope, second.path)).toContain('anti-affinity rules');
    await scope.api.delete(first.path, { body: { gracePeriodSeconds: 1 } });
    await untilAssigned(scope, second.path);
  });

  rule('leaves a pod pending whose host port is taken on its node', async (scope) => {
    const port = { containerPort: 8080, hostPort: 28_471, hostIP: '127.0.0.1' };
    const spec = { ...onNode(await openNode(scope)), containers: [pauseContainer({ ports: [port] })] };
    const first = await createPod(scope, 'port', spec);
    await untilAssigned(scope, first.path);
    const second = await createPod(scope, 'port', spec);
    expect(await untilUnschedulable(scope, second.path)).toContain(
      "didn't have free ports for the requested pod ports",
    );
  });

  rule('leaves a pod alone until its scheduling gates are removed', async (scope) => {
    const { path, created } = await createPod(scope, 'gated', { schedulingGates: [gate] });
    expect(conditionOf(created, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'SchedulingGated',
    });
    await untilAssigned(scope, (await createPod(scope, 'after')).path);
    expect((await scope.api.get(path)).body.spec).not.toHaveProperty('nodeName');
    await scope.api.patch(path, 'json', [{ op: 'remove', path: '/spec/schedulingGates' }]);
    await untilAssigned(scope, path);
  });

  rule('leaves a pod to the scheduler that it names', async (scope) => {
    const { path } = await createPod(scope, 'other', { schedulerName: scope.name('scheduler') });
    await untilAssigned(scope, (await createPod(scope, 'after')).path);
    const { body } = await scope.api.get(path);
    expect(body.spec).not.toHaveProperty('nodeName');
    expect(conditionOf(body, 'PodScheduled')).toBeUndefined();
  });
}
