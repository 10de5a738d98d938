import { answerTokenRequest, type TokenRequestSpec } from '../../auth/index.js';
import { trackUpdate } from '../../apply/index.js';
import { fromStatus, notFound } from '../../api/api-error.js';
import type { Cluster } from '../../api/cluster.js';
import { textAt, type KubeObject } from '../../object.js';
import type { Call, CallAnswer } from '../../registry/resource.js';
import { int64, list, object, string } from '../../schema/dsl.js';
import { isObject } from '../../schema/json.js';
import { keyOf } from '../../store/entry.js';

/** authentication.k8s.io/v1 TokenRequest. */
const tokenRequestSchema = object({
  spec: object(
    {
      audiences: list(string(), 'For whom the token is.'),
      expirationSeconds: int64('Requested lifetime.'),
      boundObjectRef: object({ kind: string(), apiVersion: string(), name: string(), uid: string() }),
    },
    { default: {} },
  ),
});

/** Returns the ServiceAccount of a pod and its node; a pod that does not name a ServiceAccount runs as `default`. */
function podFacts(
  { store }: Cluster,
  pod: KubeObject,
): { serviceAccountName: string; node: { name: string; uid: string } | undefined } {
  const name = textAt(pod, 'spec', 'nodeName');
  const uid = store.get('nodes', name)?.object.metadata.uid ?? '';
  return {
    serviceAccountName: textAt(pod, 'spec', 'serviceAccountName') || 'default',
    node: name === '' ? undefined : { name, uid },
  };
}

/** Handles `POST …/serviceaccounts/<name>/token`. Throws ApiError. */
export function createToken({ cluster, namespace, name, body, context }: Call): CallAnswer {
  const { store } = cluster;
  const account = store.get('serviceaccounts', keyOf(namespace, name))?.object;
  if (account === undefined) throw notFound({ group: '', kind: 'serviceaccounts', name });
  const spec = isObject(body) && isObject(body['spec']) ? body['spec'] : {};
  const answer = answerTokenRequest(spec as TokenRequestSpec, {
    namespace,
    serviceAccount: { name, uid: account.metadata.uid ?? '' },
    audiences: cluster.audiences,
    now: cluster.now(),
    tokens: cluster.tokens,
    find: (kind, bound) => {
      const found = store.get(`${kind.toLowerCase()}s`, keyOf(namespace, bound))?.object;
      return (
        found && {
          uid: found.metadata.uid ?? '',
          ...(kind === 'Pod' && podFacts(cluster, found)),
        }
      );
    },
  });
  if ('status' in answer) throw fromStatus(answer.status);
  const { status: _status, ...answered } = answer.object;
  const sent = { ...answered, spec };
  const { metadata } = trackUpdate({
    after: sent,
    manager: context.manager,
    apiVersion: 'authentication.k8s.io/v1',
    schema: tokenRequestSchema,
    subresource: 'token',
    now: cluster.now(),
    resetFields: [],
    empty: { spec: {} },
  });
  return { code: 201, object: { ...answer.object, metadata: metadata ?? {} } };
}
