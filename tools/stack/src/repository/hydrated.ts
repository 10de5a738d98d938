import { hydratorMetadataFile, hydratorNotesRef } from '@interlock/git';
import type { LocalRepository } from '../git.js';

/** Returns the dry commit that `text` (a note, or hydrator.metadata) names. */
export function parseDrySHA(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const named = typeof value === 'object' && value !== null && 'drySha' in value ? value.drySha : undefined;
    return typeof named === 'string' ? named : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the dry commit in the file of a hydrated commit. */
export async function fileDrySHAOf(repository: LocalRepository, commit: string): Promise<string | undefined> {
  return parseDrySHA(
    await repository.git(['show', `${commit}:${hydratorMetadataFile}`]).catch(() => undefined),
  );
}

/**
 * Returns the dry commit that the note of a hydrated commit names. Without a note, uses the trailer, and then the file.
 */
export async function drySHAOf(repository: LocalRepository, commit: string): Promise<string | undefined> {
  const note = await repository
    .git(['notes', `--ref=${hydratorNotesRef}`, 'show', commit])
    .catch(() => undefined);
  const noted = parseDrySHA(note);
  if (noted !== undefined) return noted;
  const trailer = await repository.git([
    'show',
    '-s',
    '--format=%(trailers:key=Sha-dry-proposed,valueonly)',
    commit,
  ]);
  return trailer.trim() === '' ? fileDrySHAOf(repository, commit) : trailer.trim();
}
