/** A field, a value, the text of the refusal, and another field that must be set. */
export type Refusal = readonly [
  field: string,
  value: unknown,
  message: string | RegExp,
  besides?: Acceptance,
];
export type Acceptance = readonly [field: string, value: unknown];
type Content = Record<string, unknown>;

const atLeast = (least: number) => `in body should be greater than or equal to ${least}`;
const atMost = (most: number) => `in body should be less than or equal to ${most}`;
/* Kubernetes releases differ in one word. */
const tooLong = (most: number) => new RegExp(`Too long: may not be (more|longer) than ${most}`);
const tooMany = (most: number) => `must have at most ${most} items`;
const required = 'Required value';
const matches = 'in body should match';
const ofType = (type: string) => `in body must be of type ${type}`;
const oneOf = (...values: string[]) => `supported values: ${values.map((value) => `"${value}"`).join(', ')}`;
const duration = (shortest: string) => `must be a duration from ${shortest} to 168h`;
const textOf = (length: number) => 'a'.repeat(length);
const listOf = (length: number, item: (index: number) => unknown) =>
  Array.from({ length }, (_, index) => item(index));

/** Values that the schema of an ActionsGateway refuses. A value of undefined omits the field. */
export const gatewayRefusals: readonly Refusal[] = [
  ['spec.gitHubAppRef', undefined, required],
  ['spec.gitHubAppRef.name', undefined, required],
  ['spec.gitHubAppRef.name', '', 'should be at least 1 chars long'],
  ['spec.gitHubAppRef.name', 'My_App', matches],
  ['spec.gitHubAppRef.namespace', textOf(64), tooLong(63)],
  ['spec.gitHubURL', undefined, required],
  ['spec.gitHubURL', '', 'should be at least 1 chars long'],
  ['spec.gitHubURL', 'http://github.com/acme', matches],
  ['spec.gitHubURL', `https://github.com/${textOf(2048)}`, tooLong(2048)],
  ['spec.proxy.minReplicas', 0, atLeast(1)],
  ['spec.proxy.minReplicas', 101, atMost(100)],
  ['spec.proxy.minReplicas', 11, 'minReplicas must be at most maxReplicas'],
  ['spec.proxy.minReplicas', '2', ofType('integer')],
  ['spec.proxy.maxReplicas', 0, atLeast(1)],
  ['spec.proxy.maxReplicas', 101, atMost(100)],
  ['spec.proxy.targetCPUUtilizationPercentage', 0, atLeast(1)],
  ['spec.proxy.targetCPUUtilizationPercentage', 101, atMost(100)],
  ['spec.proxy.noProxyCIDRs[0]', '', 'should be at least 1 chars long'],
  ['spec.proxy.noProxyCIDRs[0]', '10.0.0.0/8,10.1.0.0/16', matches],
  ['spec.proxy.noProxyCIDRs[0]', 'a\nHTTPS_PROXY=b', matches],
  ['spec.proxy.noProxyCIDRs[0]', textOf(254), tooLong(253)],
  ['spec.proxy.noProxyCIDRs', listOf(65, (index) => `host-${index}`), tooMany(64)],
  ['spec.proxy.managedNetworkPolicy', 'yes', ofType('boolean')],
  ['spec.runnerGroups', listOf(21, (index) => groupOf(`group-${index}`)), tooMany(20)],
  ['spec.runnerGroups[1]', groupOf('linux'), 'Duplicate value'],
  ['spec.runnerGroups', [groupOf(textOf(63))], 'must have at most 63 characters; choose shorter names'],
  ['spec.securityProfile', 'strict', oneOf('baseline', 'restricted', 'privileged')],
  ['spec.tracing.endpoint', 'grpc://collector:4317', matches],
  ['spec.tracing.endpoint', `https://${textOf(2048)}`, tooLong(2048)],
  ['spec.tracing.endpoint', 'https://me:word@collector:4317', 'must not contain a user or a password'],
  ['spec.tracing.insecure', 'no', ofType('boolean')],
  ['spec.tracing.sampler', 'sometimes', oneOf('always_on', 'always_off', 'traceidratio').slice(0, 40)],
  ['spec.tracing.samplerArg', 'half', matches],
  ['spec.tracing.resourceAttributes.team', textOf(1025), tooLong(1024)],
  ['spec.logLevel', 'trace', oneOf('info', 'debug')],
  ['metadata.name', textOf(41), 'metadata.name must have at most 40 characters'],
];

/**
 * Values that the schema of a RunnerGroup refuses, by field below its spec. A gateway has the same fields below
 * `spec.runnerGroups[0]`.
 */
export const groupRefusals: readonly Refusal[] = [
  ['name', undefined, required],
  ['name', 'Linux', matches],
  ['name', textOf(64), tooLong(63)],
  ['maxListeners', 0, atLeast(1)],
  ['maxListeners', 10_001, atMost(10_000)],
  ['maxWorkers', 0, atLeast(1)],
  ['maxWorkers', 100_001, atMost(100_000)],
  ['maxWorkers', 4, 'must equal the last priorityTiers threshold', ['priorityTiers', tiers(1, 5)]],
  ['runnerLabels', undefined, required],
  ['runnerLabels', [], 'should have at least 1 items'],
  ['runnerLabels[0]', '', 'should be at least 1 chars long'],
  ['runnerLabels[0]', 'two words', matches],
  ['runnerLabels[0]', 'a,b', matches],
  ['runnerLabels[0]', textOf(257), tooLong(256)],
  ['priorityTiers[0].threshold', 0, atLeast(1)],
  ['priorityTiers[0].priorityClassName', '', 'should be at least 1 chars long'],
  ['priorityTiers', tiers(...listOf(11, (index) => Number(index) + 1).map(Number)), tooMany(10)],
  ['priorityTiers', tiers(20, 5, 30), 'must have strictly ascending thresholds'],
  ['priorityTiers', tiers(5, 5), 'must have strictly ascending thresholds'],
  ['podTemplate', undefined, required],
  ['podTemplate.spec.serviceAccountName', 'admin', 'is always actions-gateway-worker'],
  ['podTemplate.spec.serviceAccount', 'admin', 'is always actions-gateway-worker'],
  ['podTemplate.spec.automountServiceAccountToken', true, 'is always false'],
  ['podTemplate.spec.hostPID', true, 'is always false'],
  ['podTemplate.spec.hostNetwork', true, 'is always false'],
  ['podTemplate.spec.hostIPC', true, 'is always false'],
  ...['ACTIONS_RUNTIME_TOKEN', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'https_proxy'].map(
    (name): Refusal => [
      'podTemplate.spec.containers[0].env',
      [{ name, value: 'x' }],
      'the controller sets them',
    ],
  ),
  ['workerImage', 'an image', matches],
  ['maxEvictionRetries', -1, atLeast(0)],
  ['maxEvictionRetries', 11, atMost(10)],
  ['evictionRetryDelay', '999ms', duration('1s')],
  ['evictionRetryDelay', 'soon', duration('1s')],
  ['maxQuotaRetries', -1, atLeast(0)],
  ['maxQuotaRetries', 21, atMost(20)],
  ['quotaRetryDelay', '0.5s', duration('1s')],
  ['completedPodTTL', '-1s', duration('0s')],
  ['pendingPodDeadline', '0s', duration('1s')],
  ['maxWorkerLifetime', '169h', duration('0s')],
  ['scaleUp.maxPerSecond', 0, atLeast(1)],
];

/** The extreme values that are accepted. */
export const gatewayAcceptances: readonly Acceptance[] = [
  ['spec.proxy.minReplicas', 1],
  ['spec.proxy.maxReplicas', 100],
  ['spec.proxy.targetCPUUtilizationPercentage', 100],
  ['spec.proxy.noProxyCIDRs', listOf(64, (index) => `host-${index}`.padEnd(253, 'x'))],
  ['spec.gitHubURL', `https://github.com/${textOf(2029)}`],
  ['spec.securityProfile', 'restricted'],
  [
    'spec.tracing',
    { endpoint: 'https://collector:4317', insecure: false, sampler: 'always_on', samplerArg: '0.1' },
  ],
  ['metadata.name', textOf(40)],
];
export const groupAcceptances: readonly Acceptance[] = [
  ['maxListeners', 10_000],
  ['runnerLabels', listOf(100, (index) => `${index}`.padEnd(256, 'x'))],
  ['maxEvictionRetries', 0],
  ['maxEvictionRetries', 10],
  ['maxQuotaRetries', 20],
  ['completedPodTTL', '0s'],
  ['evictionRetryDelay', '1s'],
  ['pendingPodDeadline', '1m30s'],
];

/** The defaults that the API server sets. */
export const defaults = {
  proxy: {
    minReplicas: 2,
    maxReplicas: 10,
    targetCPUUtilizationPercentage: 60,
    noProxyCIDRs: ['kubernetes.default.svc.cluster.local', 'localhost', '127.0.0.1', '10.96.0.0/12'],
    managedNetworkPolicy: true,
  },
  securityProfile: 'baseline',
};
export const groupDefaults = {
  maxListeners: 10,
  maxEvictionRetries: 2,
  evictionRetryDelay: '5s',
  maxQuotaRetries: 5,
  quotaRetryDelay: '30s',
  completedPodTTL: '5m',
  pendingPodDeadline: '10m',
};

/** Values of an ActionsGateway that the webhook refuses. */
export const webhookRefusals: readonly Refusal[] = [
  ['spec.gitHubURL', 'https://github.com', 'must name an organization, a repository or an enterprise'],
  ['spec.gitHubURL', 'https://', 'must be a URL'],
  ['spec.gitHubURL', 'https://user:secret@github.com/acme', 'must not contain a credential'],
  ['spec.gitHubURL', 'https://github.com/acme?x=y', 'must not have a query or a fragment'],
  ['spec.gitHubURL', 'https://github.com/acme/web/issues', 'must have one or two segments'],
  ['spec.gitHubURL', 'https://github.com,*.example.com/acme', 'in its host and in its path'],
  [
    'spec.gitHubAppRef.namespace',
    'kube-system',
    'Secrets of namespace kube-system cannot be used by this gateway',
  ],
  ['spec.securityProfile', 'privileged', 'needs the label actions-gateway.github.com/privileged-profile'],
  ['spec.proxy.noProxyCIDRs[0]', 'github.com', 'would let traffic to github.com bypass the proxy'],
  ['spec.proxy.noProxyCIDRs[0]', '0.0.0.0/0', 'is too large to bypass the proxy'],
];

/** Values that the policies refuse without the webhook, in the form of {@link gatewayRefusals}. */
export const policyRefusals: readonly Refusal[] = [
  ['spec.securityProfile', 'privileged', 'securityProfile privileged needs the label'],
];

/** Values that the policies refuse without the webhook, in the form of {@link groupRefusals}. */
export const groupPolicyRefusals: readonly Refusal[] = [
  [
    'priorityTiers[0].priorityClassName',
    'system-node-critical',
    'a priorityClassName of priorityTiers is not allowed',
  ],
  [
    'podTemplate.spec.priorityClassName',
    'system-node-critical',
    'the priorityClassName of a podTemplate is not allowed',
  ],
];

/** Values of a RunnerGroup, alone or in a gateway, that the webhook refuses. */
export const groupWebhookRefusals: readonly Refusal[] = [
  ['priorityTiers[0].priorityClassName', 'system-node-critical', 'no PriorityClass is allowed here'],
  ['podTemplate.spec.priorityClassName', 'system-node-critical', 'no PriorityClass is allowed here'],
  ['podTemplate.spec.containers[0].securityContext.privileged', true, 'must not be privileged'],
];

/** Returns the minimal spec of a RunnerGroup. */
export function groupOf(name: string): Content {
  return { name, runnerLabels: ['self-hosted'], podTemplate: {} };
}

function tiers(...thresholds: number[]): Content[] {
  return thresholds.map((threshold) => ({ priorityClassName: 'class', threshold }));
}
