import { annotations, type ObjectKey } from '@interlock/api';
import { annotationsChanged, generationChanged, or } from '@interlock/kube';
import { repositoryKey, type Referring } from '../indexes.js';

const refreshAnnotations = [annotations.refreshedAt, annotations.refreshedAtProposal];

/** A change of what is wanted, or of the annotation with which webhooks and people ask for a refresh. */
export const specOrRefreshChanged = or(generationChanged, annotationsChanged(...refreshAnnotations));

/** @returns the repository that an object refers to, as a list for a watch. */
export function repositoryOf(object: Referring): ObjectKey[] {
  return [repositoryKey(object)];
}
