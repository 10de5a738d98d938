import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from './run.js';

/** The source of the content of a new repository, which `git clone --mirror` accepts. */
export type RepositorySource = { bundle: string } | { path: string } | { url: string };

/**
 * The settings of a hosting server: any object can be fetched by its id, blobs can be omitted, and history is kept. The
 * configuration contains only these settings, so that it does not name the source of the content.
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
 * Refuses to update the branches that the environment names. git runs the hook once for each reference of a push, so
 * the other references of the push are updated, as on GitHub.
 */
const updateHook = `#!/bin/sh
[ -n "$FORGE_PROTECTED_REFS" ] || exit 0
printf '%s\\n' "$FORGE_PROTECTED_REFS" | grep -Fxq -e "$1" || exit 0
echo "error: GH006: Protected branch update failed for $1." >&2
echo "error: Changes must be made through a pull request." >&2
exit 1
`;

/* As of `git init`, which would cost each repository of a test another process. */
const folders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];

/** Creates a bare repository at `path`, empty or as a mirror of its source. */
export async function createBareRepository(
  path: string,
  { defaultBranch, from }: { defaultBranch: string; from?: RepositorySource | undefined },
): Promise<void> {
  if (from === undefined) {
    for (const folder of folders) await mkdir(join(path, folder), { recursive: true });
  } else {
    const source = 'bundle' in from ? from.bundle : 'path' in from ? from.path : from.url;
    const parent = dirname(path);
    await mkdir(parent, { recursive: true });
    await git(parent, ['clone', '--quiet', '--mirror', '--template=', '--', source, path]);
  }
  await writeFile(join(path, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
  await writeFile(join(path, 'config'), settings);
  await mkdir(join(path, 'hooks'), { recursive: true });
  await writeFile(join(path, 'hooks', 'update'), updateHook, { mode: 0o755 });
}

/** Deletes a repository from disk. Does nothing if it does not exist. */
export async function deleteBareRepository(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
