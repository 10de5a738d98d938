import { addressFlag } from '../http/address.js';
import { booleanFlag, listFlag, type Flags } from './define.js';

/** Restricts the servers that an app may reach for the providers of its users. */
export const hostFlags = {
  scmHosts: listFlag({
    description:
      'Host of an SCM or git server that may be reached, such as git.example.com, with its port if it is not the default port. Can be repeated. Defaults to github.com, gitlab.com and the hosts of ClusterScmProviders.',
    default: '',
  }),
  allowHttp: booleanFlag({
    description: 'Whether SCMs and git servers may be reached without TLS if their provider uses http://.',
  }),
} as const satisfies Flags;

/** SCM plugins of an app in addition to the built-in ones. */
export const pluginFlags = {
  scmPlugin: listFlag({
    description: 'Module of an additional SCM plugin: a path or a package name. Can be repeated.',
    default: '',
  }),
  localRepositories: listFlag({
    description: 'Directory that providers may use for repositories (spec.local). Can be repeated.',
    default: '',
  }),
} as const satisfies Flags;

/** The address for {@link ServiceContext.serve}. */
export const webhookFlags = {
  webhookBindAddress: addressFlag({
    description: 'Address at which webhooks are received; 0 disables them.',
    default: ':8082',
  }),
} as const satisfies Flags;
