import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const objectId = /^[0-9a-f]{40}$/;

/**
 * Reads the references of a repository from its files (gitrepository-layout(5)). The forge needs them for every
 * request, so neither a git process nor sequential reads would be fast enough.
 *
 * @param prefixes prefixes of the requested names; default: all names.
 * @returns full names with their objects; symbolic references are resolved.
 */
export function readRefs(repositoryPath: string, prefixes: readonly string[] = ['']): Map<string, string> {
  const isAsked = (name: string): boolean => prefixes.some((prefix) => name.startsWith(prefix));
  /* In this order, a reference that git packs meanwhile is read at least once. */
  const loose = readLoose(repositoryPath, prefixes);
  const packed = [...readPacked(repositoryPath)].filter(([name]) => isAsked(name));
  const refs = new Map([...packed, ...loose]);
  for (const [name, value] of loose) {
    const target = symbolicTarget(value);
    /* The target may not be among the requested references. */
    if (target !== undefined && !prefixes.includes('')) {
      return new Map([...readRefs(repositoryPath)].filter(([each]) => isAsked(each)));
    }
    const id = target === undefined ? value : refs.get(target);
    if (id !== undefined && objectId.test(id)) refs.set(name, id);
    else refs.delete(name);
  }
  return refs;
}

/** Returns the target in the text of a file, if it is a symbolic reference. */
export function symbolicTarget(text: string): string | undefined {
  return /^ref: (.+)$/.exec(text.trimEnd())?.[1];
}

/** Writes a reference that no other process writes, without a lock. */
export async function writeOwnRef(repositoryPath: string, name: string, id: string): Promise<void> {
  const file = join(repositoryPath, name);
  await mkdir(dirname(file), { recursive: true });
  /* Concurrent writes are possible. Neither git nor readRefs treats a file with such a name as a reference. */
  const next = `${file}.${randomUUID()}.lock`;
  await writeFile(next, `${id}\n`);
  await rename(next, file);
}

/**
 * Updates a reference from one object to another as git does, under its lock (gitrepository-layout(5), `refs`).
 *
 * @param move.to id of an object that is in the repository, of a commit for a branch.
 * @returns false if the reference does not point to `from`; undefined if git has to update it, because it is symbolic
 * or another process holds the lock.
 */
export function moveRef(
  repositoryPath: string,
  name: string,
  { to, from }: { to: string; from: string },
): boolean | undefined {
  const file = join(repositoryPath, name);
  const lock = `${file}.lock`;
  let isLocked = false;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(lock, `${to}\n`, { flag: 'wx' });
    isLocked = true;
    const loose = unlessMissing(() => readFileSync(file, 'utf8').trimEnd());
    if (loose !== undefined && !objectId.test(loose)) return undefined;
    if ((loose ?? readPacked(repositoryPath).get(name)) !== from) return false;
    renameSync(lock, file);
    isLocked = false;
    return true;
  } catch {
    return undefined;
  } finally {
    if (isLocked) rmSync(lock, { force: true });
  }
}

function readLoose(repositoryPath: string, prefixes: readonly string[]): Map<string, string> {
  const refs = new Map<string, string>();
  const folders = ['refs'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = unlessMissing(() => readdirSync(join(repositoryPath, folder), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        const path = `${name}/`;
        if (prefixes.some((prefix) => path.startsWith(prefix) || prefix.startsWith(path))) folders.push(name);
      } else if (!name.endsWith('.lock') && prefixes.some((prefix) => name.startsWith(prefix))) {
        const text = unlessMissing(() => readFileSync(join(repositoryPath, name), 'utf8'));
        if (text !== undefined) refs.set(name, text.trimEnd());
      }
    }
  }
  return refs;
}

/**
 * Returns the ids in `packed-refs` by the names of the references. Lines that begin with `#` or `^` describe the file
 * or the tag above.
 */
function readPacked(repositoryPath: string): Map<string, string> {
  const text = unlessMissing(() => readFileSync(join(repositoryPath, 'packed-refs'), 'utf8')) ?? '';
  const lines = text.split('\n').filter((line) => /^[0-9a-f]/.test(line));
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/**
 * Returns what `read` returns, or undefined if the file does not exist: files can appear and disappear while git
 * writes.
 */
function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
