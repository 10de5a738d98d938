import { isTyped } from '@interlock/api';
import { writeLooseRef } from '../objects/loose.js';
import type { Repository } from '../repository.js';
import type { Miss } from './direct.js';
import { tipRef } from './tips.js';

interface Increment {
  /** Commits to fetch with their history and trees. */
  wants: readonly string[];
  /** Local commits with their history and trees; probable parents come first. */
  haves: readonly string[];
}

/* The program to which `git fetch` passes a pack, with its arguments; the pack is marked as a promisor pack, because the
   remote has its missing objects. */
const indexPack = ['index-pack', '--stdin', '--fix-thin', '--promisor', '--fsck-objects'] as const;
const maxHaves = 64;

/**
 * Fetches new objects by one HTTP request if that is equivalent to git, and checks and indexes them with one git
 * process. Returns whether it succeeded, or a miss if the response is unusable; for any result except `true` the caller
 * uses `git fetch`.
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
    /* In a mirror that was recreated in the meantime, the preceding history would be missing. */
    await repository.git({ args: indexPack, input, generation, signal });
    direct.record(true);
    return true;
  } catch (error) {
    if (!isTyped(error) || signal?.aborted === true) throw error;
    /* `git fetch` will report the problem. */
    if (repository.generation === generation) direct.record(false);
    return false;
  }
}
