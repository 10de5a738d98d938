import type { ResourceRequirements } from 'kubernetes-types/core/v1.js';
import * as z from 'zod';
import { commonStatus, objectName, readyColumns } from '../schema/common.js';
import { defineKind, listMap, withRules } from '../schema/define.js';
import { embedded } from '../schema/embedded.js';
import { actionsGatewayGroup } from './names.js';
import { runnerGroupSpec } from './runner-group.js';

/** Limits the cost that the API server estimates for the rules of all groups. */
const maxRunnerGroups = 20;
const longestGatewayName = 40;

const secretReference = z
  .object({
    name: objectName(
      'Name of the Secret. A new name restarts the controller of the tenant with the new credential.',
    ),
    namespace: objectName(
      'Namespace of the Secret. Defaults to the namespace of the ActionsGateway. Another namespace must be listed in --credential-namespaces of the gmc.',
    )
      .max(63)
      .optional(),
  })
  .describe('Secret with the keys appId, installationId and privateKey of the GitHub App.');

const caBundleReference = z
  .object({
    kind: z
      .enum(['ConfigMap', 'Secret'])
      .default('ConfigMap')
      .describe('Kind of the object, which is in the namespace of the ActionsGateway.'),
    name: objectName('Name of the object.'),
    key: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[-._a-zA-Z0-9]+$/)
      .default('ca.crt')
      .describe('Key that contains the certificates in PEM, at most 256 KiB.'),
  })
  .describe(
    'Certificate authorities that the controller and the workers of the tenant trust in addition to public authorities, for a GitHub Enterprise Server with a certificate from a private authority. A change replaces the pods of the controller.',
  );

const proxy = withRules(
  z.object({
    minReplicas: z.int().min(1).max(100).default(2).describe('Minimum number of pods of the egress proxy.'),
    maxReplicas: z.int().min(1).max(100).default(10).describe('Maximum number of pods of the egress proxy.'),
    targetCPUUtilizationPercentage: z
      .int()
      .min(1)
      .max(100)
      .default(60)
      .describe('Average utilization of the requested CPU above which pods are added.'),
    resources: embedded<ResourceRequirements>(
      'ResourceRequirements',
      z.looseObject({}),
      'Resources of each pod of the egress proxy. Defaults to requests of 10m and 32Mi, and limits of 100m and 64Mi. Without a CPU request, no pods are added.',
    ).optional(),
    noProxyCIDRs: z
      .array(
        z
          .string()
          .min(1)
          .max(253)
          .regex(/^[^,\s]+$/),
      )
      .max(64)
      .default(['kubernetes.default.svc.cluster.local', 'localhost', '127.0.0.1', '10.96.0.0/12'])
      .describe(
        'Networks and host names that are reached without the proxy, in the format of NO_PROXY. They must include the networks of the Services.',
      ),
    managedNetworkPolicy: z
      .boolean()
      .default(true)
      .describe(
        'Whether the NetworkPolicy of the proxy is kept up to date with the networks that GitHub publishes. Set it to false if other policies allow hosts by name.',
      ),
  }),
  [
    {
      /* The default of the whole field has neither when the API server checks it. */
      rule: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
      message: 'minReplicas must be at most maxReplicas; lower minReplicas or raise maxReplicas',
      fieldPath: '.minReplicas',
    },
  ],
)
  .prefault({})
  .describe('The egress proxy of the tenant. All traffic of the tenant to GitHub goes through it.');

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const tracing = z
  .object({
    endpoint: withRules(
      z
        .string()
        .max(2048)
        .regex(/^(https?:\/\/\S+)?$/),
      [
        {
          rule: "!self.matches('^https?://[^/?#]*@')",
          message:
            'endpoint must not contain a user or a password; authenticate the collector by its network or by TLS',
        },
      ],
    )
      .optional()
      .describe(
        'URL of a collector that accepts OTLP over gRPC, such as https://otel-collector.observability:4317, without a user or a password. If it is not set, no traces are sent.',
      ),
    insecure: z
      .boolean()
      .optional()
      .describe(
        'Whether to connect to the collector without TLS, whatever the scheme of the endpoint. If it is not set, the scheme decides.',
      ),
    sampler: z.enum(samplers).optional().describe('Sampler that selects the traces to send.'),
    samplerArg: z
      .string()
      .max(32)
      .regex(/^[0-9.]*$/)
      .optional()
      .describe('Argument of the sampler, such as 0.1 for one tenth of the traces.'),
    resourceAttributes: z
      .record(z.string().max(128), z.string().max(1024))
      .meta({ maxProperties: 64 })
      .optional()
      .describe('Resource attributes of every span.'),
  })
  .describe('Sends traces of the jobs to an OpenTelemetry collector.');

const spec = z.object({
  gitHubAppRef: secretReference,
  gitHubURL: z
    .string()
    .min(1)
    .max(2048)
    .regex(/^https:\/\//)
    .describe(
      'URL of the organization, repository or enterprise whose jobs the gateway runs, such as https://github.com/my-org.',
    ),
  gitHubCABundleRef: caBundleReference.optional(),
  proxy,
  runnerGroups: listMap(runnerGroupSpec, ['name'], maxRunnerGroups)
    .optional()
    .describe(
      'RunnerGroups that the gateway creates in its namespace. Each is named <name of the gateway>-<name of the group>.',
    ),
  securityProfile: z
    .enum(['baseline', 'restricted', 'privileged'])
    .default('baseline')
    .describe(
      'Pod Security level of the namespace. To lower it, set the annotation actions-gateway.github.com/allow-profile-downgrade: "true".',
    ),
  tracing: tracing.optional(),
  logLevel: z
    .enum(['info', 'debug'])
    .optional()
    .describe('Log level of the controller of the tenant. Defaults to info.'),
});

const status = z.object({
  ...commonStatus,
  proxyReadyReplicas: z.int().min(0).optional().describe('Number of ready pods of the egress proxy.'),
  activeSessions: z
    .int()
    .min(0)
    .optional()
    .describe('Number of sessions in which the RunnerGroups of the gateway wait for jobs.'),
});

/** A tenant of the Actions gateway: the CI jobs of one GitHub organization, repository or enterprise in one namespace. */
export const ActionsGateway = defineKind({
  group: actionsGatewayGroup,
  version: 'v1alpha1',
  kind: 'ActionsGateway',
  plural: 'actionsgateways',
  shortNames: ['ag'],
  categories: ['actions-gateway'],
  description:
    'A tenant of the Actions gateway: a controller of runners, an egress proxy and RunnerGroups in one namespace.',
  rules: [
    {
      rule: `self.metadata.name.size() <= ${longestGatewayName}`,
      message: `metadata.name must have at most ${longestGatewayName} characters: names of other objects begin with it; choose a shorter name`,
    },
    {
      rule: '!has(self.spec.runnerGroups) || self.spec.runnerGroups.all(g, self.metadata.name.size() + g.name.size() < 63)',
      message:
        'a RunnerGroup is named <name of the gateway>-<name of the group>, which must have at most 63 characters; choose shorter names',
      fieldPath: '.spec.runnerGroups',
    },
  ],
  spec,
  status,
  printColumns: [
    { name: 'ProxyReady', type: 'integer', jsonPath: '.status.proxyReadyReplicas' },
    { name: 'Sessions', type: 'integer', jsonPath: '.status.activeSessions' },
    ...readyColumns,
  ],
});

export type ActionsGateway = NonNullable<(typeof ActionsGateway)['_object']>;
export type ActionsGatewaySpec = ActionsGateway['spec'];
export type ActionsGatewayStatus = NonNullable<ActionsGateway['status']>;
