import * as z from 'zod';
import { commonStatus, objectName, readyColumns } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { boundedDuration } from './duration.js';
import { actionsGatewayGroup } from './names.js';
import { workerPodTemplate } from './pod-template.js';

const maxPods = 100_000;

const priorityTier = z.object({
  priorityClassName: objectName('Name of a PriorityClass that the platform team allows.'),
  threshold: z
    .int()
    .min(1)
    .max(maxPods)
    .describe('Number of active worker pods in the group at which the next tier begins.'),
});

const priorityTiers = withRules(
  z
    .array(priorityTier)
    .max(10)
    .describe(
      'PriorityClasses of worker pods, by the number of active worker pods. The last threshold is the maximum number of worker pods. With an empty list, no PriorityClass is set.',
    ),
  [
    {
      rule: 'self.map(t, t.threshold).isSorted() && self.all(t, self.exists_one(o, o.threshold == t.threshold))',
      message:
        'priorityTiers must have strictly ascending thresholds; list the tier with the smallest threshold first',
    },
  ],
);

const scaleUp = z
  .object({
    maxPerSecond: z
      .int()
      .min(1)
      .max(10_000)
      .describe('Number of worker pods that may be created per second.'),
    burst: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe('Number of worker pods that may be created at once after a pause. Defaults to maxPerSecond.'),
  })
  .describe('Limits the rate at which worker pods are created. If it is not set, there is no limit.');

/* What one job does with its pod: retries, and how long each state may last. */
const lifecycle = {
  maxEvictionRetries: z
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe(
      'Maximum number of reruns of a workflow run after evictions of its worker pods. 0 disables reruns.',
    ),
  evictionRetryDelay: boundedDuration(
    'evictionRetryDelay',
    '1s',
    '5s',
    'Delay between an eviction and the request for a rerun. At least 1s.',
  ),
  maxQuotaRetries: z
    .int()
    .min(0)
    .max(20)
    .default(5)
    .describe(
      'Number of further attempts to create a worker pod that a ResourceQuota refuses. 0 disables them.',
    ),
  quotaRetryDelay: boundedDuration(
    'quotaRetryDelay',
    '1s',
    '30s',
    'Delay between attempts to create a worker pod that a ResourceQuota refuses. At least 1s.',
  ),
  completedPodTTL: boundedDuration(
    'completedPodTTL',
    '0s',
    '5m',
    'How long a worker pod is kept after it has ended. 0s deletes it at once.',
  ),
  pendingPodDeadline: boundedDuration(
    'pendingPodDeadline',
    '1s',
    '10m',
    'How long a worker pod may be Pending before it is deleted. At least 1s.',
  ),
  maxWorkerLifetime: boundedDuration(
    'maxWorkerLifetime',
    '0s',
    '12h',
    'How long a worker pod may run; sets activeDeadlineSeconds unless podTemplate does. 0s disables the limit.',
  ),
};

const name = withRules(objectName('Name of the group within its ActionsGateway. It is immutable.').max(63), [
  { rule: 'self == oldSelf', message: 'name is immutable; create another RunnerGroup' },
]);

/** The spec of a RunnerGroup, which an ActionsGateway also has for each group that it creates. */
export const runnerGroupSpec = withRules(
  z.object({
    name,
    maxListeners: z
      .int()
      .min(1)
      .max(10_000)
      .default(10)
      .describe(
        'Maximum number of sessions that wait for a job at the same time; there is always at least one. Running jobs do not count.',
      ),
    maxWorkers: z
      .int()
      .min(1)
      .max(maxPods)
      .optional()
      .describe(
        'Maximum number of worker pods that run at the same time. If priorityTiers is set, it must equal the last threshold.',
      ),
    runnerLabels: z
      .array(
        z
          .string()
          .min(1)
          .max(256)
          .regex(/^[^,\s]+$/),
      )
      .min(1)
      .max(100)
      .describe('Labels of the runners, which runs-on of a job must match.'),
    priorityTiers: priorityTiers.optional(),
    podTemplate: workerPodTemplate,
    workerImage: z
      .string()
      .max(1024)
      .regex(/^\S*$/)
      .optional()
      .describe(
        'Image of the runner container, used if podTemplate does not set an image; preferably with a digest. Defaults to the worker image of the controller.',
      ),
    ...lifecycle,
    scaleUp: scaleUp.optional(),
    logLevel: z
      .enum(['info', 'debug'])
      .optional()
      .describe('Log level of the group. Defaults to the log level of the controller.'),
  }),
  [
    {
      rule: '!has(self.maxWorkers) || !has(self.priorityTiers) || self.priorityTiers.size() == 0 || self.maxWorkers == self.priorityTiers[self.priorityTiers.size() - 1].threshold',
      message: 'maxWorkers must equal the last priorityTiers threshold when both are set',
      fieldPath: '.maxWorkers',
    },
  ],
);

const count = (description: string) => z.int().min(0).optional().describe(description);

export const RunnerGroup = defineKind({
  group: actionsGatewayGroup,
  version: 'v1alpha1',
  kind: 'RunnerGroup',
  plural: 'runnergroups',
  shortNames: ['rg'],
  categories: ['actions-gateway'],
  description: 'Runners with one set of labels: sessions that wait for jobs, and a worker pod for each job.',
  rules: [
    {
      rule: 'self.metadata.name.size() <= 63',
      message:
        'metadata.name must have at most 63 characters: it is a label of the worker pods; choose a shorter name',
    },
  ],
  spec: runnerGroupSpec,
  status: z.object({
    ...commonStatus,
    activeSessions: count('Number of sessions that wait for a job.'),
    activeJobs: count('Number of running worker pods.'),
    pendingJobs: count('Number of pending worker pods.'),
  }),
  printColumns: [
    { name: 'MaxListeners', type: 'integer', jsonPath: '.spec.maxListeners' },
    { name: 'ActiveSessions', type: 'integer', jsonPath: '.status.activeSessions' },
    { name: 'ActiveJobs', type: 'integer', jsonPath: '.status.activeJobs' },
    { name: 'PendingJobs', type: 'integer', jsonPath: '.status.pendingJobs' },
    ...readyColumns,
  ],
});

export type RunnerGroup = NonNullable<(typeof RunnerGroup)['_object']>;
export type RunnerGroupSpec = RunnerGroup['spec'];
export type RunnerGroupStatus = NonNullable<RunnerGroup['status']>;
