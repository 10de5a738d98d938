import * as z from 'zod';
import { commitStatusGroup } from '../names.js';
import { defineKind } from '../schema/define.js';
import { healthSourceStatus, labelSelector, selectionSpec, sourceColumns, sourceSpec } from './sources.js';

export const ArgoCDCommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'ArgoCDCommitStatus',
  plural: 'argocdcommitstatuses',
  shortNames: ['acs'],
  description:
    'Writes a CommitStatus for each environment of a PromotionStrategy, derived from the health of the Argo CD Applications that deploy it.',
  spec: z.object({
    ...sourceSpec('argocd-health'),
    applicationSelector: labelSelector.describe(
      'Selects Applications by label. An empty selector selects all Applications of the namespaces.',
    ),
    ...selectionSpec,
  }),
  status: healthSourceStatus,
  printColumns: [...sourceColumns],
});

export type ArgoCDCommitStatus = NonNullable<(typeof ArgoCDCommitStatus)['_object']>;
