import { z } from 'zod';
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

/** The fields that every source of CommitStatuses has. */
export const sourceSpec = (defaultKey: string) => ({
  promotionStrategyRef: z
    .object({ name: objectName('Name of a PromotionStrategy in the same namespace.') })
    .describe('The strategy whose environments are reported on.'),
  key: commitStatusKey
    .default(defaultKey)
    .describe('Value of the label commit-status.argoproj.io/key of the CommitStatuses that are written.'),
});

/** What a URL template may name. */
export const urlTemplate = z
  .object({
    template: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^https?:\/\//)
      .describe(
        'Template of the address. It takes {{ environment.branch }}, {{ hydrated.sha }}, {{ hydrated.shortSHA }}, ' +
          '{{ strategy.name }}, {{ strategy.namespace }}, and of the object that decides {{ object.kind }}, ' +
          '{{ object.namespace }} and {{ object.name }}; an unknown name is an error.',
      ),
  })
  .describe('Where people read more; shown at the SCM.');

const labelKey = z.string().min(1).max(317);

/** A label selector (apimachinery `metav1.LabelSelector`). */
export const labelSelector = z.object({
  matchLabels: z.record(labelKey, z.string().max(63)).optional().describe('Labels, all of which must match.'),
  matchExpressions: z
    .array(
      z.object({
        key: labelKey.describe('Label key.'),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('Relation of key and values.'),
        values: z
          .array(z.string().max(63))
          .max(64)
          .optional()
          .describe('For In and NotIn at least one; otherwise none.'),
      }),
    )
    .max(32)
    .optional()
    .describe('Requirements, all of which must match.'),
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
    .describe('Namespaces in which objects are selected; absent: its own; "*" alone: all.'),
  [{ rule: "!self.exists(n, n == '*') || size(self) == 1", message: "'*' must stand alone" }],
);

/** Which objects are selected, and where the SCM links to. */
export const selectionSpec = { namespaces: watchedNamespaces.optional(), url: urlTemplate.optional() };

const phaseOfSource = commitStatusPhase.extract(['in_progress', 'success', 'failure']);

/** State of one environment that all sources report. */
export const environmentReport = {
  branch: z.string().max(200).describe('The environment branch.'),
  sha: gitSha('The commit that is active there.').optional(),
  phase: phaseOfSource.describe('Phase of its CommitStatus.'),
  message: z.string().max(1024).describe('Description of its CommitStatus.'),
};

/** State of an environment, from the health of the objects that run it. */
const environmentHealth = z.object({
  ...environmentReport,
  selected: z.int().describe('Objects that run this environment.'),
  observed: phaseOfSource.describe('What the objects say, before it has lasted.'),
  observedSince: timestamp('Since when they say so.'),
});

/** An object that a source looks at. */
const selectedObject = z.object({
  kind: z.string().max(63).describe('Its kind.'),
  namespace: z.string().max(63).describe('Its namespace.'),
  name: z.string().max(253).describe('Its name.'),
  branch: z
    .string()
    .max(200)
    .optional()
    .describe('The environment that it runs; absent: none of the strategy.'),
  phase: phaseOfSource.optional().describe('What it says of the commit that is active there.'),
  message: z.string().max(256).describe('Why.'),
});

const selectedObjects = z
  .array(selectedObject)
  .max(100)
  .describe('The objects that it looks at, those that are not successful first; at most 100.');

export const sourcePhase = phaseOfSource.describe(
  'Worst phase of all environments: failure, then in_progress, then success.',
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
