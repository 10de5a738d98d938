import { annotations, type GitRepository, type ObjectKey } from '@interlock/api';
import { annotationsChanged, generationChanged, or } from '@interlock/kube';
import { repositoryKey, type Referring } from '../indexes.js';

const refreshAnnotations = [annotations.refreshedAt, annotations.refreshedAtProposal];

/** A change of what is wanted, or of the annotation with which webhooks and people ask for a refresh. */
export const specOrRefreshChanged = or(generationChanged, annotationsChanged(...refreshAnnotations));

/** @returns the repository that an object refers to, as a list for a watch. */
export function repositoryOf(object: Referring): ObjectKey[] {
  return [repositoryKey(object)];
}

/**
 * Remembers for which webhook event a repository was refreshed last.
 * @returns whether the refresh that is asked for now was caused by an event about a pull request, and is a new one.
 */
export class RefreshCauses {
  private readonly seen = new Map<string, string>();

  isNewPullRequestEvent({ metadata }: GitRepository): boolean {
    const { [annotations.refreshedAt]: at, [annotations.refreshCause]: cause } = metadata.annotations ?? {};
    const id = metadata.uid ?? '';
    if (at === undefined || this.seen.get(id) === at) return false;
    this.seen.set(id, at);
    return cause === 'pull_request';
  }

  forget({ metadata }: GitRepository): void {
    this.seen.delete(metadata.uid ?? '');
  }
}
