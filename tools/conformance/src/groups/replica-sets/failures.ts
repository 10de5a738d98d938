import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { podTemplate, replicated, untilCondition } from '../../suite/controlled.js';
import { deployments } from '../../suite/workloads.js';
import { create } from '../../suite/write.js';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/**
 * Declares the rules about pods that cannot be created. Source:
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
 */
export function failureRules(rule: Rule): void {
  rule(
    'reports that its pods are refused, to its Deployment too, and creates them when they are not any more',
    async (scope) => {
      const namespace = await scope.ownNamespace();
      const name = scope.name('refused');
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      await create(scope, configurations, refusePods(name, namespace));
      const probe = { apiVersion: 'v1', kind: 'Pod', ...podTemplate({}), metadata: { name } };
      for (let refused = false; !refused;) {
        const answer = await scope.api.post(pods, probe, { query: { dryRun: 'All' } });
        refused = answer.status === 500;
      }
      const object = replicated('Deployment', name, { replicas: 1 });
      await create(scope, deployments(namespace), object);
      const path = `${deployments(namespace)}/${name}`;
      const failure = await untilCondition(scope, path, 'ReplicaFailure', 'True', 'FailedCreate');
      expect(failure['message']).toContain('failed calling webhook "pods.conformance.example"');
      await scope.api.delete(`${configurations}/${name}`);
      await scope.eventually(`${pods}?labelSelector=app%3D${name}`, ({ body }) => body.items.length === 1);
    },
    'controllers',
  );
}

/** Returns a webhook for the pods of a namespace. The Service of the webhook does not exist. */
function refusePods(name: string, namespace: string): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'pods.conformance.example',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { service: { namespace, name: 'absent' } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
    ],
  };
}
