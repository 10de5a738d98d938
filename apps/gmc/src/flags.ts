import { isIP } from 'node:net';
import {
  addressFlag,
  enumFlag,
  listFlag,
  stringFlag,
  UsageError,
  type Flag,
  type Flags,
  type FlagValues,
} from '@interlock/service/flags';
import * as z from 'zod';
import { isHostName } from './admission/host-name.js';
import type { TenantPolicy } from './admission/policy.js';
import type { Installation } from './render/context.js';

const environment = (name: string, otherwise = ''): string => process.env[name] ?? otherwise;

/** The version of this release. */
export const version = '0.1.0';

/** Hosts that GitHub documents as required for self-hosted runners, in addition to the host of gitHubURL. */
const githubHosts = [
  'github.com',
  '*.github.com',
  '*.githubusercontent.com',
  'ghcr.io',
  '*.blob.core.windows.net',
].join(',');

/** What each text of a list must be. */
interface ListItem {
  isValid: (text: string) => boolean;
  /** Completes "… is not". */
  name: string;
}

const networks = z.union([z.cidrv4(), z.cidrv6()]);
const network: ListItem = {
  isValid: (text) => networks.safeParse(text).success,
  name: 'a network such as 10.0.0.0/8',
};

const hostPattern: ListItem = {
  isValid(text) {
    const host = text.replace(/^\*?\./, '').replace(/\.$/, '');
    return isIP(host) === 6 || isHostName(host);
  },
  name: 'a host name or *.suffix',
};

const host: ListItem = {
  isValid: (text) => isIP(text) !== 0 || (!/^[*.]/.test(text) && hostPattern.isValid(text)),
  name: 'an address without brackets or a host name',
};

/** Defines a list flag. A wrong text is refused at the start: otherwise the objects of all tenants would be refused. */
function checkedListFlag(
  item: ListItem,
  options: { description: string; default: string },
): Flag<readonly string[]> {
  const flag = listFlag(options);
  const parse = (text: string): readonly string[] => {
    const items = flag.parse(text);
    const wrong = items.find((one) => !item.isValid(one));
    if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} is not ${item.name}`);
    return items;
  };
  return { ...flag, parse };
}

const roleName = /^[^/%\s]+$/;

/** Defines a flag with one text, which is refused at the start if it is wrong. */
function checkedFlag(item: ListItem, options: { description: string; default: string }): Flag<string> {
  const parse = (text: string): string => {
    if (!item.isValid(text)) throw new Error(`${JSON.stringify(text)} is not ${item.name}`);
    return text;
  };
  return { ...stringFlag(options), parse };
}

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
    description: 'Whether images must have a digest: digest requires it; any also accepts a tag, for tests.',
    values: ['digest', 'any'],
    default: 'digest',
  }),
  workerImage: stringFlag({
    description:
      'Image of workers whose RunnerGroup does not set one. Default: WORKER_IMAGE, else the image of the GitHub runner that the agc names in its help.',
    default: environment('WORKER_IMAGE'),
  }),
  runnerVersion: stringFlag({
    description:
      'Version of the runner that is reported to GitHub. Default: GITHUB_RUNNER_VERSION, else the version of the default image of workers.',
    default: environment('GITHUB_RUNNER_VERSION'),
  }),
  tenantRole: checkedFlag(
    { isValid: (text) => roleName.test(text), name: 'the name of a ClusterRole' },
    {
      description: 'ClusterRole that is bound to the controller of a tenant in the namespace of the tenant.',
      default: 'interlock-agc-tenant',
    },
  ),
  allowedPriorityClasses: listFlag({
    description: 'PriorityClass that worker pods may have; may be repeated. None by default.',
    default: '',
  }),
  reservedNamespaces: listFlag({
    description:
      'Namespace that must not be a tenant, in addition to the namespace of this controller; may be repeated.',
    default: 'kube-system,kube-public,kube-node-lease',
  }),
  credentialNamespaces: listFlag({
    description:
      'Namespace whose Secrets gateways of other namespaces may reference; may be repeated. None by default.',
    default: '',
  }),
  allowedHosts: checkedListFlag(hostPattern, {
    description:
      'Host that tenants may reach through their proxies in addition to the host of gitHubURL, as a name or *.suffix; may be repeated.',
    default: githubHosts,
  }),
  githubMetaUrl: checkedFlag(
    {
      isValid: (text) => text === 'none' || (/^https?:\/\//.test(text) && URL.canParse(text)),
      name: 'a URL such as https://api.github.com/meta; write none to read no networks',
    },
    {
      description:
        'URL from which the networks of GitHub are read for the NetworkPolicies of the proxies. The value none disables this, for installations that use only a GitHub Enterprise Server.',
      default: 'https://api.github.com/meta',
    },
  ),
  extraEgressCidrs: checkedListFlag(network, {
    description:
      'Network, public or private, that proxies may reach in addition to the networks of GitHub, such as the network of a GitHub Enterprise Server; may be repeated.',
    default: '',
  }),
  apiServerAddresses: checkedListFlag(host, {
    description:
      'Address of the API server, which tenants reach without their proxy; default: the address that this process uses; may be repeated.',
    default: environment('KUBERNETES_SERVICE_HOST'),
  }),
  apiServerCidrs: checkedListFlag(network, {
    description:
      'Network of the API server in the NetworkPolicies of controllers; may be repeated. By default any network. The ports are 443 and those of the endpoints of the Service kubernetes.',
    default: '',
  }),
  admissionBindAddress: addressFlag({
    description: 'Address on which the admission webhooks are served over TLS; 0 disables them.',
    default: ':9443',
  }),
  admissionService: stringFlag({
    description: 'Name of the Service through which the API server reaches the admission webhooks.',
    default: 'gmc-admission',
  }),
  admissionSecret: stringFlag({
    description: 'Name of the Secret that stores the certificates of the admission webhooks.',
    default: 'gmc-admission',
  }),
  admissionConfiguration: stringFlag({
    description: 'Name of the validating webhook configuration.',
    default: 'interlock-gmc',
  }),
  admissionCertFile: stringFlag({
    description:
      'Certificate of the admission webhooks (PEM), used with --admission-key-file instead of certificates that the controller issues.',
  }),
  admissionKeyFile: stringFlag({ description: 'Private key of --admission-cert-file (PEM).' }),
} as const satisfies Flags;

type GmcFlags = FlagValues<typeof gmcFlags>;

const digest = /@sha256:[0-9a-f]{64}$/;

/** Returns the settings for the objects of tenants. @throws UsageError for an image that is missing or has no digest */
export function installationOf(flags: GmcFlags): Installation {
  for (const [flag, image] of [
    ['--agc-image', flags.agcImage],
    ['--proxy-image', flags.proxyImage],
  ] as const) {
    if (image === '') throw new UsageError(`${flag} must be set to the image that every tenant uses`);
    if (flags.imageReferences === 'digest' && !digest.test(image)) {
      throw new UsageError(
        `${flag} ${image} must end with @sha256:<digest>; --image-references=any also accepts a tag`,
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

/** Returns the policy for tenants. @param namespace of this controller, which must not be a tenant */
export function policyOf(flags: GmcFlags, namespace: string): TenantPolicy {
  return {
    allowedPriorityClasses: flags.allowedPriorityClasses,
    reservedNamespaces: [...flags.reservedNamespaces, namespace],
    credentialNamespaces: flags.credentialNamespaces,
  };
}
