import { FakeClock } from '@interlock/base/testing';
import { expect, it } from '@jest/globals';
import { objectsAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { useCluster } from '../testing/harness.js';
import { createPod, nodeName, pod, podsPath, shell, testImages, untilStatus } from '../testing/pods.js';

const clock = new FakeClock();
const api = useCluster({ clock, kubelets: [{ nodeName }], images: testImages });
const group = '/apis/admissionregistration.k8s.io/v1';
const bindings = `${group}/validatingadmissionpolicybindings`;

/** Makes the API server refuse each change of the status of a pod. */
async function refuseStatus(name: string): Promise<void> {
  const rule = {
    operations: ['UPDATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods/status'],
  };
  const validations = [{ expression: 'false', message: 'the status is closed' }];
  const spec = { matchConstraints: { resourceRules: [rule] }, validations };
  const binding = { policyName: name, validationActions: ['Deny'] };
  await api.create(`${group}/validatingadmissionpolicies`, { metadata: { name }, spec });
  expect((await api.create(bindings, { metadata: { name }, spec: binding })).status).toBe(201);
}

const events = (reason: string): string =>
  `/api/v1/namespaces/default/events?fieldSelector=${encodeURIComponent(`involvedObject.name=kept,reason=${reason}`)}`;

it('reports a failing step with one event, and retries it with increasing delays', async () => {
  await refuseStatus('closed');
  await createPod(api, pod('kept', [shell('c', 'trap "exit 0" TERM; while :; do sleep 0.1; done')]));
  await api.until(events('Started'), ({ body }) => objectsAt(body, 'items').length === 1);
  const failures = async (): Promise<JsonObject[]> =>
    objectsAt((await api.get(events('FailedSync'))).body, 'items');
  for (let seconds = 0; seconds < 100; seconds += 1) await clock.advance(1_000);
  const [event, ...others] = await failures();
  expect([event, others]).toMatchObject([
    {
      type: 'Warning',
      message:
        'Error syncing pod, skipping: pods "kept" is forbidden: ' +
        "ValidatingAdmissionPolicy 'closed' with binding 'closed' denied request: the status is closed",
    },
    [],
  ]);
  expect(event?.['count']).toBeGreaterThan(8);
  expect(event?.['count']).toBeLessThan(30);
  await api.remove(`${bindings}/closed`);
  await clock.advance(10_000);
  await untilStatus(api, 'kept', ({ phase }) => phase === 'Running');
  await api.remove(`${podsPath}/kept`);
});
