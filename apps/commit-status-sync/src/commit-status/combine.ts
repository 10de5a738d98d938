import type { CommitStatus, CommitStatusPhase } from '@interlock/api';
import { truncate } from '@interlock/base';

/** The status of one name on one commit at the SCM. */
export type Shown = Pick<CommitStatus['spec'], 'phase' | 'description' | 'url'>;

/** The phases by precedence: the first phase that any of several CommitStatuses has is shown for all of them. */
const worstFirst: readonly CommitStatusPhase[] = ['failure', 'cancelled', 'in_progress', 'queued', 'success'];
const maxDescription = 1024;

/**
 * Returns the combined status of the CommitStatuses of a namespace that have one name on one commit: it is successful when all of
 * them are, so that none hides another. The first of them sends it for all. Pure.
 *
 * @param all at least one, in the order of {@link inOrder}
 */
export function combine(all: readonly [CommitStatus, ...CommitStatus[]]): Shown {
  const phase = worstFirst.find((one) => all.some(({ spec }) => spec.phase === one)) ?? all[0].spec.phase;
  const decisive = all.filter(({ spec }) => spec.phase === phase);
  const descriptions = new Set(decisive.flatMap(({ spec }) => spec.description ?? []));
  const description = truncate([...descriptions].join('; '), maxDescription);
  const url = decisive.find(({ spec }) => spec.url !== undefined)?.spec.url;
  return {
    phase,
    ...(description !== '' && { description }),
    ...(url !== undefined && { url }),
  };
}

/** Returns CommitStatuses in an order that does not change: by name. */
export function inOrder(all: readonly CommitStatus[]): CommitStatus[] {
  return [...all].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
