import {
  keyString,
  repositoryKey,
  type KubeObject,
  type ObjectKey,
  type RefersToRepository,
} from '@interlock/api';
import { hydratorNotesRef } from '@interlock/git';
import type { Cache } from '@interlock/kube';

const refIndex = 'ref';

/** Adds the index by the refs of the repository on which the objects of a cache depend. */
export function addRefIndex<T extends KubeObject & RefersToRepository>(
  cache: Pick<Cache<T>, 'addIndex'>,
  refsOf: (object: T) => readonly string[],
): void {
  cache.addIndex(refIndex, (object) => {
    const refs = refsOf(object);
    const all = refs.length === 0 ? [] : [...refs, hydratorNotesRef];
    return all.map((ref) => entry(repositoryKey(object), ref));
  });
}

/** Returns the objects that depend on a ref of a repository; on the notes of hydrators, all that depend on a branch. */
export function dependingOn<T extends KubeObject>(
  cache: Pick<Cache<T>, 'byIndex'>,
  repository: ObjectKey,
  ref: string,
): T[] {
  return cache.byIndex(refIndex, entry(repository, ref));
}

function entry(repository: ObjectKey, ref: string): string {
  return `${keyString(repository)} ${ref}`;
}
