import { isTyped } from '@interlock/api';
import { writeLooseRef } from '../objects/loose.js';
import type { Repository } from '../repository.js';
import type { Miss } from './direct.js';
import { tipRef } from './tips.js';

export interface Increment {
  /** Commits that are to be fetched with their history and trees. */
  wants: readonly string[];
  /** Commits that are here with theirs; those that are likely to be right before the others first. */
  haves: readonly string[];
}

/* The program that `git fetch` gives a pack to, and how; the pack's name says that the remote has what is missing in it. */
const indexPack = ['index-pack', '--stdin', '--fix-thin', '--promisor', '--fsck-objects'] as const;
const maxHaves = 64;

/**
 * Fetches what is new by one HTTP request where that is what git would do, and has one git process check and index it. Returns whether
 * all of it is here, or in what way the remote has not answered as it should; all but `true` is left to `git fetch`.
 * @throws TypedError as `DirectRequests.ask`; the signal's reason after an abort.
 */
export async function fetchIncrement(
  repository: Repository,
  { wants, haves }: Increment,
  signal?: AbortSignal,
): Promise<boolean | Miss> {
  const { remote, owner, directory, generation } = repository;
  const { packs: direct } = remote.direct;
  if (haves.length === 0 || !remote.goesDirect(direct)) return false;
  const question = { ids: new Set(wants), haves: haves.slice(0, maxHaves) };
  const pack = await direct.fetch(await remote.access(), owner, question, signal);
  if (typeof pack === 'string') return pack;
  if (!repository.claim(pack.length)) return false;
  if (!(await isAccepted(repository, pack, generation, signal))) return false;
  for (const sha of wants) if (!(await repository.exists(sha))) return false;
  if (repository.generation !== generation) return false;
  for (const sha of wants) await writeLooseRef(directory, tipRef(sha), sha);
  return repository.generation === generation;
}

async function isAccepted(
  repository: Repository,
  input: Buffer,
  generation: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { packs: direct } = repository.remote.direct;
  try {
    /* In a mirror that was made anew meanwhile, what comes before it would be missing. */
    await repository.git({ args: indexPack, input, generation, signal });
    direct.record(true);
    return true;
  } catch (error) {
    if (!isTyped(error) || signal?.aborted === true) throw error;
    /* Whatever is wrong with it, `git fetch` will report. */
    if (repository.generation === generation) direct.record(false);
    return false;
  }
}
