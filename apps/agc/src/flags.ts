import {
  booleanFlag,
  durationFlag,
  enumFlag,
  integerFlag,
  listFlag,
  stringFlag,
  type Flags,
} from '@interlock/service/flags';
import { securityProfiles } from './worker-pod/security.js';

const environment = (name: string, otherwise = ''): string => process.env[name] ?? otherwise;

/** The stock image of GitHub's runner; its version is also what sessions report. */
const runnerVersion = '2.335.1';
const runnerImage = `ghcr.io/actions/actions-runner:${runnerVersion}`;

/** The flags of the AGC. Flags that the GMC sets by an environment variable take their default from that variable. */
export const agcFlags = {
  githubUrl: stringFlag({
    description:
      'URL of the organization, repository or enterprise whose jobs are run, such as https://github.com/my-org. Default: GITHUB_ORG_URL.',
    default: environment('GITHUB_ORG_URL'),
  }),
  githubApiUrl: stringFlag({
    description:
      'Base URL of the REST API. Default: GITHUB_API_BASE_URL, else the base URL that belongs to --github-url.',
    default: environment('GITHUB_API_BASE_URL'),
  }),
  githubAppSecretDir: stringFlag({
    description:
      'Folder in which the Secret of the GitHub App is mounted, with the keys appId, installationId and privateKey.',
    default: '/etc/actions-gateway/github-app',
  }),
  runnerGroupId: integerFlag({
    description:
      'Id of the runner group at GitHub in which runners are registered. Default: GITHUB_RUNNER_GROUP_ID, else 1.',
    default: environment('GITHUB_RUNNER_GROUP_ID', '1'),
    min: 1,
  }),
  workerImage: stringFlag({
    description: `Image of worker pods whose RunnerGroup does not name one. Default: WORKER_IMAGE, else ${runnerImage}.`,
    default: environment('WORKER_IMAGE', runnerImage),
  }),
  runnerVersion: stringFlag({
    description: `Version of the runner in worker pods, which sessions report to GitHub. Default: GITHUB_RUNNER_VERSION, else ${runnerVersion}.`,
    default: environment('GITHUB_RUNNER_VERSION', runnerVersion),
  }),
  runnerArchitecture: enumFlag({
    description: 'Architecture of the nodes of worker pods, which sessions report to GitHub.',
    values: ['X64', 'ARM64', 'ARM', 'X86'],
    default: 'X64',
  }),
  securityProfile: enumFlag({
    description:
      'Pod Security level of the namespace; worker pods are created with the settings that the level requires.',
    values: securityProfiles,
    default: 'baseline',
  }),
  workerProgram: stringFlag({
    description: 'File with the worker program. Default: worker.mjs next to this program.',
    default: '',
  }),
  dialect: enumFlag({
    description: 'Protocol of the broker: live, as observed at GitHub, or seed, as first described.',
    values: ['live', 'seed'],
    default: 'live',
  }),
  allowedHosts: listFlag({
    description:
      'Further host that may receive tokens of runners and jobs, as a name or *.suffix; may be repeated. The host of --github-url and its Actions services are allowed.',
    default: '',
  }),
  allowHttp: booleanFlag({ description: 'Connect to GitHub without TLS if a URL begins with http://.' }),
  hourlyBudget: integerFlag({
    description:
      'Requests per hour to each host of GitHub; a part of them is reserved for renewals of locks.',
    default: '15000',
    min: 100,
  }),
  caFile: stringFlag({
    description:
      'File with PEM certificates that are trusted for GitHub and for the proxy, in addition to the certificates of Node.js and of NODE_EXTRA_CA_CERTS. Default: GITHUB_CA_CERT_PATH.',
    default: environment('GITHUB_CA_CERT_PATH'),
  }),
  githubCaRef: stringFlag({
    description:
      'Object in the same namespace from which workers read the certificates of --ca-file: ConfigMap/<name>/<key> or Secret/<name>/<key>. Default: GITHUB_CA_REF.',
    default: environment('GITHUB_CA_REF'),
  }),
  proxyCaSecret: stringFlag({
    description:
      'Secret in the same namespace whose key ca.crt the workers trust for the proxy. Default: PROXY_CA_SECRET.',
    default: environment('PROXY_CA_SECRET'),
  }),
  workerProxyUrl: stringFlag({
    description:
      'URL of the proxy for workers. Few programs of jobs can connect to a proxy at an https:// URL. Default: WORKER_PROXY_URL, else HTTPS_PROXY.',
    default: environment('WORKER_PROXY_URL'),
  }),
  pollWatchdog: durationFlag({
    description: 'Time without an answer to a poll after which the process is restarted.',
    default: '10m',
    minMs: 120_000,
  }),
} as const satisfies Flags;
