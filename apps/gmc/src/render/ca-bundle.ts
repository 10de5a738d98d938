import { actionsGatewayGroup, type ActionsGateway } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import type { TenantContext } from './context.js';
import { gitHubCaFolder } from './names.js';

/**
 * Annotation of the pods of the controller. A change of the certificates replaces the pods, because the process reads the
 * certificates only at the start.
 */
const caBundleAnnotation = `${actionsGatewayGroup}/github-ca-bundle`;

const file = 'ca.crt';
const volume = 'github-ca';
const defaultMode = 0o440;

/** The parts of a controller pod that hold the certificate authorities of its GitHub server. */
type CaBundleParts = Required<Pick<core.Container, 'env' | 'volumeMounts'>> & {
  volumes: core.Volume[];
};

/** Returns what the certificate authorities of a gateway add to its controller pod; nothing if it references none. */
export function caBundleParts({ spec: { gitHubCABundleRef: ref } }: ActionsGateway): CaBundleParts {
  if (ref === undefined) return { env: [], volumes: [], volumeMounts: [] };
  const { kind, name, key } = ref;
  const items = [{ key, path: file }];
  return {
    env: [
      { name: 'GITHUB_CA_CERT_PATH', value: `${gitHubCaFolder}/${file}` },
      { name: 'GITHUB_CA_REF', value: `${kind}/${name}/${key}` },
    ],
    volumes: [
      kind === 'Secret'
        ? { name: volume, secret: { secretName: name, defaultMode, items } }
        : { name: volume, configMap: { name, defaultMode, items } },
    ],
    volumeMounts: [{ name: volume, mountPath: gitHubCaFolder, readOnly: true }],
  };
}

/** Returns the annotations of the pods that cause a rollout when the certificates change. */
export function caBundleAnnotations({ caBundleDigest }: TenantContext): {
  annotations?: Record<string, string>;
} {
  return caBundleDigest === undefined ? {} : { annotations: { [caBundleAnnotation]: caBundleDigest } };
}
