import { addressFlag } from '../http/address.js';
import { booleanFlag, listFlag, type Flags } from './define.js';

/** Which servers an app may reach for the providers that its users name. */
export const hostFlags = {
  scmHosts: listFlag({
    description:
      'Host of an SCM or git server that may be reached (git.example.com, with its port where it is not the usual one); may be repeated. Default: github.com, gitlab.com and the hosts of ClusterScmProviders.',
    default: '',
  }),
  allowHttp: booleanFlag({
    description: 'Reach SCMs and git servers without TLS, where their provider says http://.',
  }),
} as const satisfies Flags;

/** What an app knows of SCMs beside the plugins that are built in. */
export const pluginFlags = {
  scmPlugin: listFlag({
    description: 'Module of a further SCM plugin, a path or a package; may be repeated.',
    default: '',
  }),
  localRepositories: listFlag({
    description: 'Directory in which providers may use repositories (spec.local); may be repeated.',
    default: '',
  }),
} as const satisfies Flags;

/** For {@link ServiceContext.serve}. */
export const webhookFlags = {
  webhookBindAddress: addressFlag({
    description: 'Where webhooks are received; 0 switches them off.',
    default: ':8082',
  }),
} as const satisfies Flags;
