import { actionsGatewayGroup, type ActionsGateway } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import type { TenantContext } from './context.js';
import { gitHubCaFolder } from './names.js';

/** On the pods of the controller: other certificates roll them, because they are read once. */
const caBundleAnnotation = `${actionsGatewayGroup}/github-ca-bundle`;

const file = 'ca.crt';
const volume = 'github-ca';
const defaultMode = 0o440;

/** What the pod of a controller has for the certificate authorities of its GitHub. */
type CaBundleParts = Required<Pick<core.Container, 'env' | 'volumeMounts'>> & {
  volumes: core.Volume[];
};

/** Returns what the certificate authorities of a gateway add to its controller; nothing where it names none. */
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

/** Returns annotations of the pods by which a change of the certificates replaces them. */
export function caBundleAnnotations({ caBundleDigest }: TenantContext): {
  annotations?: Record<string, string>;
} {
  return caBundleDigest === undefined ? {} : { annotations: { [caBundleAnnotation]: caBundleDigest } };
}
