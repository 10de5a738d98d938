import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from './run.js';

/** Where a new repository gets its content from; each is something that `git clone --mirror` takes. */
export type RepositorySource = { bundle: string } | { path: string } | { url: string };

/**
 * Settings of a hosting server: any object may be fetched by its id, blobs may be left out, history is kept. They are all
 * that there are, so that nothing remains of where the content came from.
 */
const settings = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	logAllRefUpdates = false
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	fsckObjects = true
	hideRefs = refs/pull
	autogc = false
[gc]
	auto = 0
`;

/**
 * Refuses to move the branches that the environment names. git runs it once for each reference of a push, so that the
 * others of the same push go through, as on GitHub.
 */
const updateHook = `#!/bin/sh
[ -n "$FORGE_PROTECTED_REFS" ] || exit 0
printf '%s\\n' "$FORGE_PROTECTED_REFS" | grep -Fxq -e "$1" || exit 0
echo "error: GH006: Protected branch update failed for $1." >&2
echo "error: Changes must be made through a pull request." >&2
exit 1
`;

/** Makes a bare repository at `path`, empty or as a mirror of its source. */
export async function createBareRepository(
  path: string,
  { defaultBranch, from }: { defaultBranch: string; from?: RepositorySource | undefined },
): Promise<void> {
  const parent = dirname(path);
  await mkdir(parent, { recursive: true });
  if (from === undefined) {
    await git(parent, [
      'init',
      '--quiet',
      '--bare',
      '--template=',
      `--initial-branch=${defaultBranch}`,
      path,
    ]);
  } else {
    const source = 'bundle' in from ? from.bundle : 'path' in from ? from.path : from.url;
    await git(parent, ['clone', '--quiet', '--mirror', '--template=', '--', source, path]);
    await writeFile(join(path, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
  }
  await writeFile(join(path, 'config'), settings);
  await mkdir(join(path, 'hooks'), { recursive: true });
  await writeFile(join(path, 'hooks', 'update'), updateHook, { mode: 0o755 });
}

/** Deletes a repository from disk; one that is not there is no error. */
export async function deleteBareRepository(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
