import { z } from 'zod';
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
    'Writes a CommitStatus for each environment of a strategy, from the Flux Kustomizations and HelmReleases that run it.',
  spec: withRules(
    z.object({
      ...sourceSpec('flux-health'),
      selector: labelSelector
        .optional()
        .describe(
          'Labels of the Kustomizations and HelmReleases whose environment follows from the GitRepository that they come from.',
        ),
      environments: listMap(
        z.object({
          branch: branchName('The environment branch.'),
          selector: labelSelector.describe('Labels of the objects that run it.'),
        }),
        ['branch'],
        32,
      )
        .optional()
        .describe('Environments whose objects are named by label, whatever they come from.'),
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
