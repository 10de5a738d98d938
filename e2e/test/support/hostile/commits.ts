import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { LocalRepository } from '@interlock/stack';

const mebibyte = 1024 * 1024;
const date = '1767225600 +0000';

/** Stores a commit with the tree of `branch` without validation, and updates the branch to it. */
export async function commitRaw(
  repository: LocalRepository,
  branch: string,
  { author = 'Mallory <mallory@example.com>', message }: { author?: string; message: string },
): Promise<void> {
  await writeCommit(repository, branch, author, [message]);
}

/** Updates a branch to a commit whose message has this size in MiB, and compresses to almost nothing. */
export async function commitBomb(
  repository: LocalRepository,
  branch: string,
  mebibytes: number,
): Promise<void> {
  const chunk = 'a'.repeat(mebibyte);
  await writeCommit(
    repository,
    branch,
    'Mallory <mallory@example.com>',
    Array.from({ length: mebibytes }, () => chunk),
  );
}

async function writeCommit(
  repository: LocalRepository,
  branch: string,
  author: string,
  message: readonly string[],
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const tree = await repository.git(['rev-parse', `${ref}^{tree}`]);
  const parent = await repository.git(['rev-parse', ref]);
  const file = `${repository.path}/hostile-commit`;
  const head = `tree ${tree}\nparent ${parent}\nauthor ${author} ${date}\ncommitter M <m@example.com> ${date}\n\n`;
  const stream = createWriteStream(file);
  for (const chunk of [head, ...message, '\n']) if (!stream.write(chunk)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
  const sha = await repository.git(['hash-object', '-t', 'commit', '-w', '--literally', file]);
  await rm(file);
  await repository.git(['update-ref', ref, sha]);
}
