import * as z from 'zod';
import { commitStatusPhase } from '../promoter/fields.js';
import {
  commitStatusKey,
  commonStatus,
  gitSha,
  objectName,
  readyColumns,
  timestamp,
} from '../schema/common.js';
import { listMap, withRules } from '../schema/define.js';

/** Fields that every source of CommitStatuses has. */
export const sourceSpec = (defaultKey: string) => ({
  promotionStrategyRef: z
    .object({ name: objectName('Name of a PromotionStrategy in the same namespace.') })
    .describe('The PromotionStrategy whose environments are reported.'),
  key: commitStatusKey
    .default(defaultKey)
    .describe('Value of the label commit-status.argoproj.io/key on the CommitStatuses that are written.'),
});

/** Placeholders that a URL template can use. */
const urlTemplate = z
  .object({
    template: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^https?:\/\//)
      .describe(
        'Template of the URL. Available placeholders are {{ environment.branch }}, {{ hydrated.sha }}, {{ hydrated.shortSHA }}, ' +
          '{{ strategy.name }}, {{ strategy.namespace }} and, for the object that determines the phase, {{ object.kind }}, ' +
          '{{ object.namespace }} and {{ object.name }}. An unknown placeholder is an error.',
      ),
  })
  .describe('Link to details, which the SCM shows.');

const labelKey = z.string().min(1).max(317);

/** A label selector (apimachinery `metav1.LabelSelector`). */
export const labelSelector = z.object({
  matchLabels: z.record(labelKey, z.string().max(63)).optional().describe('Labels that must all match.'),
  matchExpressions: z
    .array(
      z.object({
        key: labelKey.describe('Key of the label.'),
        operator: z
          .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
          .describe('Operator that relates the key to the values.'),
        values: z
          .array(z.string().max(63))
          .max(64)
          .optional()
          .describe(
            'Values of the label. In and NotIn require at least one value; Exists and DoesNotExist take none.',
          ),
      }),
    )
    .max(32)
    .optional()
    .describe('Requirements that must all be met.'),
});
export type LabelSelector = z.output<typeof labelSelector>;

const watchedNamespaces = withRules(
  z
    .array(
      z
        .string()
        .max(63)
        .regex(/^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$/),
    )
    .min(1)
    .max(32)
    .describe(
      'Namespaces in which objects are selected. Defaults to the namespace of this object; a single "*" selects all namespaces.',
    ),
  [{ rule: "!self.exists(n, n == '*') || size(self) == 1", message: "'*' must be the only entry" }],
);

/** Which objects are selected, and which page the SCM links to. */
export const selectionSpec = { namespaces: watchedNamespaces.optional(), url: urlTemplate.optional() };

const phaseOfSource = commitStatusPhase.extract(['in_progress', 'success', 'failure']);

/** State of one environment, as all sources report it. */
export const environmentReport = {
  branch: z.string().max(200).describe('The environment branch.'),
  sha: gitSha('The active commit of the environment.').optional(),
  phase: phaseOfSource.describe('Phase of the CommitStatus of the environment.'),
  message: z.string().max(1024).describe('Description of the CommitStatus of the environment.'),
};

/** State of an environment, derived from the health of the objects that deploy it. */
const environmentHealth = z.object({
  ...environmentReport,
  selected: z.int().describe('Number of objects that deploy this environment.'),
  observed: phaseOfSource.describe(
    'Phase derived from the objects, before it has lasted long enough to be reported.',
  ),
  observedSince: timestamp('Since when the objects have this phase.'),
});

/** An object that a source observes. */
const selectedObject = z.object({
  kind: z.string().max(63).describe('Kind of the object.'),
  namespace: z.string().max(63).describe('Namespace of the object.'),
  name: z.string().max(253).describe('Name of the object.'),
  branch: z
    .string()
    .max(200)
    .optional()
    .describe(
      'The environment branch that the object deploys. Unset if the object does not deploy an environment of the strategy.',
    ),
  phase: phaseOfSource.optional().describe('Phase that the object reports for the active commit.'),
  message: z.string().max(256).describe('Why the object has this phase, or does not have a phase.'),
});

const selectedObjects = z
  .array(selectedObject)
  .max(100)
  .describe('The observed objects, at most 100. Objects that are not successful come first.');

export const sourcePhase = phaseOfSource.describe(
  'The worst phase of all environments: failure, then in_progress, then success.',
);

export const sourceColumns = [
  { name: 'Strategy', type: 'string', jsonPath: '.spec.promotionStrategyRef.name' },
  { name: 'Key', type: 'string', jsonPath: '.spec.key' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  ...readyColumns,
] as const;

/** Status of the kinds that report the health of selected objects. */
export const healthSourceStatus = z.object({
  ...commonStatus,
  phase: sourcePhase.optional(),
  environments: listMap(environmentHealth, ['branch'], 32).optional().describe('State of each environment.'),
  selected: selectedObjects.optional(),
});

export type SourcePhase = z.output<typeof phaseOfSource>;
export type EnvironmentHealth = z.output<typeof environmentHealth>;
export type SelectedObject = z.output<typeof selectedObject>;
export type HealthSourceStatus = z.output<typeof healthSourceStatus>;
