import { createHash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';

type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

interface LooseObject {
  type: ObjectType;
  content: Buffer;
}

/* Larger objects are left to a git process. */
const maxBytes = 1024 * 1024;
const folderDigits = 2;
const header = /^(commit|tree|blob|tag) (\d+)$/;

/**
 * Reads a loose object (gitrepository-layout(5), `objects/[0-9a-f][0-9a-f]`). A process for each object would be many
 * times as expensive.
 *
 * @param id 40 hexadecimal digits.
 * @returns undefined for an object that is in a pack, is missing, has more than 1 MiB or is damaged; git distinguishes
 * these cases.
 */
export function readLooseObject(repositoryPath: string, id: string): LooseObject | undefined {
  const file = fileOf(repositoryPath, id);
  try {
    if (lstatSync(file).size > maxBytes) return undefined;
    const object = inflateSync(readFileSync(file), { maxOutputLength: maxBytes });
    const end = object.indexOf(0);
    const [, type, length] = header.exec(object.toString('latin1', 0, Math.max(end, 0))) ?? [];
    const content = object.subarray(end + 1);
    return type !== undefined && content.length === Number(length)
      ? { type: type as ObjectType, content }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a loose object exists. Other objects may be in a pack. */
export function hasLooseObject(repositoryPath: string, id: string): boolean {
  return existsSync(fileOf(repositoryPath, id));
}

/**
 * Writes an object, first under a temporary name as git does, so that a reader never sees an incomplete object.
 * @returns its id, or undefined for content of more than 1 MiB, which is not written. @throws Error of the file system
 */
export function writeLooseObject(
  repositoryPath: string,
  type: ObjectType,
  content: Buffer,
): string | undefined {
  if (content.length > maxBytes) return undefined;
  const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash('sha1').update(object).digest('hex');
  const file = fileOf(repositoryPath, id);
  if (existsSync(file)) return id;
  const objects = join(repositoryPath, 'objects');
  const temporary = join(objects, `tmp_obj_${randomUUID()}`);
  try {
    writeFileSync(temporary, deflateSync(object, { level: 1 }), { flag: 'wx', mode: 0o444 });
    mkdirSync(join(objects, id.slice(0, folderDigits)), { recursive: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return id;
}

function fileOf(repositoryPath: string, id: string): string {
  return join(repositoryPath, 'objects', id.slice(0, folderDigits), id.slice(folderDigits));
}
