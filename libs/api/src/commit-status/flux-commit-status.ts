import * as z from 'zod';
import { commitStatusGroup } from '../names.js';
import { branchName } from '../schema/common.js';
import { defineKind, listMap, withRules } from '../schema/define.js';
import { healthSourceStatus, labelSelector, selectionSpec, sourceColumns, sourceSpec } from './sources.js';

export const FluxCommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'FluxCommitStatus',
  plural: 'fluxcommitstatuses',
  shortNames: ['fcs'],
  description:
    'Writes a CommitStatus for each environment of a PromotionStrategy, derived from the health of the Flux Kustomizations and HelmReleases that deploy it.',
  spec: withRules(
    z.object({
      ...sourceSpec('flux-health'),
      selector: labelSelector
        .optional()
        .describe(
          'Selects Kustomizations and HelmReleases by label. The GitRepository that an object uses determines its environment.',
        ),
      environments: listMap(
        z.object({
          branch: branchName('The environment branch.'),
          selector: labelSelector.describe('Selects the objects that deploy this environment, by label.'),
        }),
        ['branch'],
        32,
      )
        .optional()
        .describe('Environments whose objects are selected by label, regardless of their sources.'),
      ...selectionSpec,
    }),
    [
      {
        rule: 'has(self.selector) || has(self.environments)',
        message: 'selector or environments must be set',
      },
    ],
  ),
  status: healthSourceStatus,
  printColumns: [...sourceColumns],
});

export type FluxCommitStatus = NonNullable<(typeof FluxCommitStatus)['_object']>;
