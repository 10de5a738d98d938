import { z } from 'zod';
import { commitStatusGroup } from '../names.js';
import { commonStatus } from '../schema/common.js';
import { defineKind, listMap } from '../schema/define.js';
import {
  environmentHealth,
  labelSelector,
  selectedObjects,
  sourceColumns,
  sourcePhase,
  sourceSpec,
  urlTemplate,
  watchedNamespaces,
} from './sources.js';

export const ArgoCDCommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'ArgoCDCommitStatus',
  plural: 'argocdcommitstatuses',
  shortNames: ['acs'],
  description:
    'Writes a CommitStatus for each environment of a strategy, from the health of the Argo CD Applications that run it.',
  spec: z.object({
    ...sourceSpec('argocd-health'),
    applicationSelector: labelSelector.describe('Labels of the Applications; empty: all of the namespaces.'),
    namespaces: watchedNamespaces.optional(),
    url: urlTemplate.optional(),
  }),
  status: z.object({
    ...commonStatus,
    phase: sourcePhase.optional(),
    environments: listMap(environmentHealth, ['branch'], 32)
      .optional()
      .describe('State of each environment.'),
    selected: selectedObjects.optional(),
  }),
  printColumns: [...sourceColumns],
});

export type ArgoCDCommitStatus = NonNullable<(typeof ArgoCDCommitStatus)['_object']>;
/** Of an {@link ArgoCDCommitStatus} and of a FluxCommitStatus alike. */
export type HealthSourceStatus = NonNullable<ArgoCDCommitStatus['status']>;
