import { annotations, keyString, type GitRepository, type ObjectKey } from '@interlock/api';
import { annotationsChanged, generationChanged, or } from '@interlock/kube';
import { repositoryKey, type Referring } from '../indexes.js';

const refreshAnnotations = [annotations.refreshedAt, annotations.refreshedAtProposal];

/** A change of what is wanted, or of the annotation with which webhooks and people ask for a refresh. */
export const specOrRefreshChanged = or(generationChanged, annotationsChanged(...refreshAnnotations));

/** @returns the repository that an object refers to, as a list for a watch. */
export function repositoryOf(object: Referring): ObjectKey[] {
  return [repositoryKey(object)];
}

/** Remembers which webhook events about pull requests of a repository were followed. */
export class PullRequestEvents {
  private readonly followed = new Map<string, string>();

  /** @returns whether a webhook has told of a pull request since this was asked last. */
  isNew({ metadata }: GitRepository): boolean {
    const at = metadata.annotations?.[annotations.pullRequestEventAt];
    const name = keyString(metadata);
    if (at === undefined || this.followed.get(name) === at) return false;
    this.followed.set(name, at);
    return true;
  }

  forget(key: ObjectKey): void {
    this.followed.delete(keyString(key));
  }
}
