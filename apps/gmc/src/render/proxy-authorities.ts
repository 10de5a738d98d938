import { actionsGatewayGroup } from '@interlock/api';
import { Deployment } from '@interlock/kube';
import { createHash } from 'node:crypto';
import { names } from './names.js';
import type { Rendered } from './objects.js';

/**
 * Annotation of the pods of the controller. A change replaces the pods, because Node.js reads NODE_EXTRA_CA_CERTS only at the
 * start.
 */
const authoritiesAnnotation = `${actionsGatewayGroup}/proxy-authorities`;

/**
 * Returns the objects of a tenant with an annotation that replaces the pods of the controller when the authorities of the proxy
 * change. Old and new authorities overlap for longer than a rollout takes. Pure.
 *
 * @param authorities certificates in PEM
 */
export function rolledFor(objects: readonly Rendered[], authorities: string): readonly Rendered[] {
  const digest = createHash('sha256').update(authorities).digest('hex').slice(0, 16);
  return objects.map((object) => {
    const { kind, configuration } = object;
    if (kind !== Deployment || configuration.metadata.name !== names.controller) return object;
    const { template, ...spec } = configuration['spec'] as {
      template: { metadata: { annotations?: Record<string, string> } };
    };
    const annotations = { ...template.metadata.annotations, [authoritiesAnnotation]: digest };
    const metadata = { ...template.metadata, annotations };
    return {
      kind,
      configuration: { ...configuration, spec: { ...spec, template: { ...template, metadata } } },
    };
  });
}
