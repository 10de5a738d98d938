import { checkRef, TypedError } from '@interlock/api';
import { isObjectId } from '../names.js';
import type { Repository } from '../repository.js';
import { maxNames } from './ls-refs.js';

/**
 * Reads references of the remote: by HTTP if that is equivalent to git; otherwise, or if HTTP fails, by one git
 * process, which also handles errors and redirects.
 * @returns object ids by full reference name; names the remote does not have are absent.
 * @throws TypedError `Invalid` for a bad name or another object format than SHA-1; otherwise a type that depends on the message of the remote.
 */
export async function listRemoteRefs(
  repository: Repository,
  names: Iterable<string>,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const wanted = new Set(names);
  wanted.forEach(checkRef);
  const { remote } = repository;
  const { refs: direct } = remote.direct;
  if (!remote.goesDirect(direct)) return lsRemote(repository, wanted, signal);
  const answer = await direct.list(await remote.access(), wanted, signal);
  if (answer instanceof Map) return answer;
  const refs = await lsRemote(repository, wanted, signal);
  direct.gitAnswered(answer);
  return refs;
}

async function lsRemote(
  repository: Repository,
  wanted: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const patterns = wanted.size <= maxNames ? [...wanted] : [];
  const { remote, owner } = repository;
  const { stdout } = await remote.run({
    owner,
    args: ['ls-remote', '--quiet', remote.url, ...patterns],
    timeout: 'lsRemote',
    signal,
  });
  return parseRefs(stdout.toString('utf8'), wanted);
}

/**
 * Returns the requested references in the output of `ls-remote`, whose patterns match the end of a reference: `dev`
 * also matches `x/dev`.
 * @throws TypedError `Invalid` (`ObjectFormatUnsupported`) for the ids of another object format.
 */
function parseRefs(output: string, wanted: ReadonlySet<string>): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [sha, ref] = line.split('\t');
    if (sha === undefined || ref === undefined || !wanted.has(ref)) continue;
    if (!isObjectId(sha)) throw unsupported();
    refs.set(ref, sha);
  }
  return refs;
}

function unsupported(): TypedError {
  const message =
    'the object ids of the repository are not SHA-1, the only supported object format; use a repository that git created with --object-format=sha1';
  return new TypedError('Invalid', message, { reason: 'ObjectFormatUnsupported' });
}
