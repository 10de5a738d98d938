import {
  addressFlag,
  enumFlag,
  listFlag,
  stringFlag,
  UsageError,
  type Flags,
  type FlagValues,
} from '@interlock/service';
import type { TenantPolicy } from './admission/policy.js';
import type { Installation } from './render/context.js';

const environment = (name: string, otherwise = ''): string => process.env[name] ?? otherwise;

/** The version of this release. */
export const version = '0.1.0';

/** What the documentation of GitHub asks to allow for self-hosted runners, beside the host of gitHubURL. */
const githubHosts = [
  'github.com',
  '*.github.com',
  '*.githubusercontent.com',
  'ghcr.io',
  '*.blob.core.windows.net',
].join(',');

/** The flags of the GMC. */
export const gmcFlags = {
  agcImage: stringFlag({
    description: 'Image of the controller of each tenant, with a digest. Default: AGC_IMAGE.',
    default: environment('AGC_IMAGE'),
  }),
  proxyImage: stringFlag({
    description: 'Image of the egress proxy of each tenant, with a digest. Default: PROXY_IMAGE.',
    default: environment('PROXY_IMAGE'),
  }),
  imageReferences: enumFlag({
    description: 'Whether images must have a digest: digest demands it, any takes a tag, for tests.',
    values: ['digest', 'any'],
    default: 'digest',
  }),
  workerImage: stringFlag({
    description: 'Image of workers whose RunnerGroup names none; empty: that of the controller.',
    default: environment('WORKER_IMAGE'),
  }),
  runnerVersion: stringFlag({
    description: 'Version of the runner that is reported to GitHub; empty: that of the controller.',
    default: environment('GITHUB_RUNNER_VERSION'),
  }),
  tenantRole: stringFlag({
    description: 'ClusterRole that the controller of a tenant gets in its namespace.',
    default: 'interlock-agc-tenant',
  }),
  allowedPriorityClasses: listFlag({
    description: 'PriorityClass that worker pods may have; may be repeated. None by default.',
    default: '',
  }),
  reservedNamespaces: listFlag({
    description:
      'Namespace that may not be one of a tenant, beside that of this controller; may be repeated.',
    default: 'kube-system,kube-public,kube-node-lease',
  }),
  credentialNamespaces: listFlag({
    description:
      'Namespace whose Secrets gateways of other namespaces may name; may be repeated. None by default.',
    default: '',
  }),
  allowedHosts: listFlag({
    description:
      'Host that tenants may reach through their proxies beside that of gitHubURL, as name or *.suffix; may be repeated.',
    default: githubHosts,
  }),
  githubMetaUrl: stringFlag({
    description:
      'Where the networks of GitHub are read for the NetworkPolicies of the proxies; none: nowhere, where there is an Enterprise Server only.',
    default: 'https://api.github.com/meta',
  }),
  extraEgressCidrs: listFlag({
    description:
      'Network that proxies reach beside those of GitHub, such as that of a GitHub Enterprise Server, also a private one; may be repeated.',
    default: '',
  }),
  apiServerAddresses: listFlag({
    description:
      'Address of the API server that tenants reach without their proxy; default: that of this process; may be repeated.',
    default: environment('KUBERNETES_SERVICE_HOST'),
  }),
  apiServerCidrs: listFlag({
    description:
      'Network of the API server in the NetworkPolicies of controllers; may be repeated. By default any, at 443 and 6443.',
    default: '',
  }),
  admissionBindAddress: addressFlag({
    description: 'Where admission webhooks are served over TLS; 0 switches it off.',
    default: ':9443',
  }),
  admissionService: stringFlag({
    description: 'Name of the Service by which the API server reaches the admission webhooks.',
    default: 'gmc-admission',
  }),
  admissionSecret: stringFlag({
    description: 'Name of the Secret in which the certificates of the admission webhooks are kept.',
    default: 'gmc-admission',
  }),
  admissionConfiguration: stringFlag({
    description: 'Name of the validating webhook configuration.',
    default: 'interlock-gmc',
  }),
  admissionCertFile: stringFlag({
    description:
      'Certificate of the admission webhooks (PEM), with --admission-key-file, instead of certificates that the controller makes.',
  }),
  admissionKeyFile: stringFlag({ description: 'Its key (PEM).' }),
} as const satisfies Flags;

type GmcFlags = FlagValues<typeof gmcFlags>;

const digest = /@sha256:[0-9a-f]{64}$/;

/** Returns what the flags say of the objects of tenants. @throws UsageError for an image that is missing or has no digest */
export function installationOf(flags: GmcFlags): Installation {
  for (const [flag, image] of [
    ['--agc-image', flags.agcImage],
    ['--proxy-image', flags.proxyImage],
  ] as const) {
    if (image === '') throw new UsageError(`${flag} must be set: the image of every tenant`);
    if (flags.imageReferences === 'digest' && !digest.test(image)) {
      throw new UsageError(
        `${flag} ${image} must end with @sha256:<digest>; --image-references=any takes a tag`,
      );
    }
  }
  const optional = (text: string) => (text === '' ? undefined : text);
  return {
    version,
    images: { controller: flags.agcImage, proxy: flags.proxyImage },
    workerImage: optional(flags.workerImage),
    runnerVersion: optional(flags.runnerVersion),
    tenantRole: flags.tenantRole,
    apiServer: flags.apiServerAddresses,
    apiServerRanges: flags.apiServerCidrs,
    allowedHosts: flags.allowedHosts,
    extraRanges: flags.extraEgressCidrs,
  };
}

/** Returns what the flags allow tenants. @param namespace of this controller, which is not one of a tenant */
export function policyOf(flags: GmcFlags, namespace: string): TenantPolicy {
  return {
    allowedPriorityClasses: flags.allowedPriorityClasses,
    reservedNamespaces: [...flags.reservedNamespaces, namespace],
    credentialNamespaces: flags.credentialNamespaces,
  };
}
