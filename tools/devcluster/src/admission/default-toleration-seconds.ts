import type { AdmissionPlugin } from '../api/cluster.js';
import { objectAt, objectsAt, textAt } from '../object.js';

const defaultSeconds = 300;
const keys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/**
 * Adds tolerations of five minutes for nodes that are not ready or unreachable, unless the pod has such tolerations.
 * Source: Kubernetes plugin/pkg/admission/defaulttolerationseconds.
 */
export const defaultTolerationSeconds: AdmissionPlugin = {
  mutate: ({ operation, resource, subresource, object }) => {
    if (resource.collection !== 'pods' || subresource !== undefined) return;
    if (operation === 'DELETE' || object === undefined) return;
    const tolerations = objectsAt(object, 'spec', 'tolerations');
    const missing = keys.filter(
      (key) =>
        !tolerations.some(
          (one) =>
            ['', key].includes(textAt(one, 'key')) && ['', 'NoExecute'].includes(textAt(one, 'effect')),
        ),
    );
    if (missing.length === 0) return;
    const added = missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: defaultSeconds,
    }));
    objectAt(object, 'spec')['tolerations'] = [...tolerations, ...added];
  },
};
