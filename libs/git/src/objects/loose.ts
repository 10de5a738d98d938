import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const deflateContent = promisify(deflate);
const folderDigits = 2;

/**
 * Writes a blob into a repository as git does (gitrepository-layout(5), `objects/[0-9a-f][0-9a-f]`): under a
 * temporary name, so that a reader never finds a part of it. After a system failure the file may be damaged, like any
 * other file of a mirror.
 * @param id the id of the content.
 * @throws Error of the file system.
 */
export async function writeLooseBlob(gitDir: string, id: string, content: Buffer): Promise<void> {
  const folder = join(gitDir, 'objects', id.slice(0, folderDigits));
  const temporary = join(gitDir, 'objects', `tmp_obj_${randomBytes(8).toString('hex')}`);
  const object = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
  try {
    await writeFile(temporary, await deflateContent(object), { flag: 'wx', mode: 0o444 });
    await mkdir(folder, { recursive: true });
    await rename(temporary, join(folder, id.slice(folderDigits)));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Creates a reference as git does in repositories with references in files (gitrepository-layout(5), `refs`): under the name
 * of its lock file first, so that a reader never finds a part of it. No other process may move it at the same time.
 * @throws Error of the file system.
 */
export async function writeLooseRef(gitDir: string, ref: string, id: string): Promise<void> {
  const file = join(gitDir, ref);
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(lock, `${id}\n`);
  await rename(lock, file);
}
