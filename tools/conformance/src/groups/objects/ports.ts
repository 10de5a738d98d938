import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { pod } from '../../suite/pods.js';

/** Declares the rules about ports that have the same name. */
export function portRules(rule: Rule): void {
  rule('refuses two ports of a Service with the same name', async (scope) => {
    const ports = [80, 81].map((port) => ({ name: 'web', port }));
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: scope.name('named') },
      spec: { ports },
    };
    const answer = await scope.api.post(scope.core('services'), service, { query: { dryRun: 'All' } });
    expectInvalid(answer, { 'spec.ports[1].name': 'FieldValueDuplicate' });
  });

  rule('refuses two ports of a container with the same name', async (scope) => {
    const ports = [80, 81].map((containerPort) => ({ name: 'web', containerPort }));
    const body = pod(scope.name('named'), {}, { containers: [{ name: 'main', image: 'x', ports }] });
    const answer = await scope.api.post(scope.core('pods'), body, { query: { dryRun: 'All' } });
    expectInvalid(answer, { 'spec.containers[0].ports[1].name': 'FieldValueDuplicate' });
  });
}
