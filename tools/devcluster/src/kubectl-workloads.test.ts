import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt } from './object.js';
import type { JsonObject } from './schema/types.js';
import { hasKubectl, useKubectl } from './testing/kubectl.js';
import { replicated } from './testing/workloads.js';

const { kubectl, run } = useKubectl();

/** Marks pending pods with a label as running and ready, as a node does. Returns their number. */
async function makeReady(selector: string): Promise<number> {
  const list = JSON.parse(await run(`get pods -l ${selector} -o json`)) as JsonObject;
  const pending = objectsAt(list, 'items').filter((pod) => textAt(pod, 'status', 'phase') === 'Pending');
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const patch = JSON.stringify({ status: { phase: 'Running', conditions } });
  for (const pod of pending) {
    await kubectl(`patch pod ${textAt(pod, 'metadata', 'name')} --subresource=status -p ${patch}`);
  }
  return pending.length;
}

/** Waits for the end of a rollout. Returns the output of `rollout status`. */
async function rollOut(name: string): Promise<string> {
  const state = { done: false };
  const following = run(`rollout status deployment/${name} --timeout=60s`).finally(() => (state.done = true));
  while (!state.done) await makeReady(`app=${name}`);
  return following;
}

(hasKubectl ? describe : describe.skip)('kubectl, with workloads', () => {
  it('rolls out, rolls back and scales a Deployment', async () => {
    expect(await run('apply -f -', replicated('Deployment', 'web'))).toBe('deployment.apps/web created\n');
    expect(await rollOut('web')).toContain('deployment "web" successfully rolled out\n');
    expect(await run('get deploy,rs')).toMatch(
      /deployment\.apps\/web +2\/2 +2 +2 +\d+s\n\nNAME +DESIRED +CURRENT +READY +AGE\nreplicaset\.apps\/web-\w+ +2 +2 +2 +\d+s/,
    );
    expect(await run('set image deployment/web app=example.com/app:2')).toBe(
      'deployment.apps/web image updated\n',
    );
    expect(await rollOut('web')).toContain('successfully rolled out');
    expect(await run('rollout history deployment/web')).toMatch(
      /REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/,
    );
    expect(await run('rollout history deployment/web --revision=1')).toContain('example.com/app:1');
    expect(await run('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    await rollOut('web');
    expect(await run('get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}')).toBe(
      'example.com/app:1 example.com/app:1',
    );
    expect(await run('rollout history deployment/web')).toMatch(/\n2 +<none>\n3 +<none>\n/);
    expect(await run('scale deployment/web --replicas=1')).toBe('deployment.apps/web scaled\n');
    await run('wait --for=jsonpath={.status.replicas}=1 deployment/web --timeout=60s');
    expect(await run('describe deployment web')).toMatch(
      /ScalingReplicaSet +\d+s .*Scaled down replica set web-\w+ from 2 to 1/,
    );
    expect(await run('delete deployment web')).toContain('deployment.apps "web" deleted');
    await run('wait --for=delete pods -l app=web --timeout=60s');
    expect(await run('get rs,pods -l app=web')).toBe('');
  });

  it('creates a Job, waits for its completion and describes it', async () => {
    await run('create job sum --image=example.com/sum:1 -- true');
    await run('wait --for=jsonpath={.status.active}=1 job/sum --timeout=60s');
    expect(await run('get job sum')).toMatch(
      /NAME +STATUS +COMPLETIONS +DURATION +AGE\nsum +Running +0\/1 +\d+s +\d+s\n/,
    );
    const name = await run('get pods -l job-name=sum -o jsonpath={.items[0].metadata.name}');
    const waiting = run('wait --for=condition=complete job/sum --timeout=60s');
    await run(`patch pod ${name} --subresource=status -p {"status":{"phase":"Succeeded"}}`);
    expect(await waiting).toBe('job.batch/sum condition met\n');
    expect(await run('get jobs')).toMatch(/sum +Complete +1\/1 /);
    expect(await run('delete job sum')).toContain('job.batch "sum" deleted');
    await run(`wait --for=delete pod/${name} --timeout=60s`);
  });
});
