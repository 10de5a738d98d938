import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileState } from '@interlock/responding';
import { Failure } from '../exit.js';

const maxFileBytes = 4_000_000;
const maxAllBytes = 100_000_000;
const maxEntries = 50_000;
const maxDepth = 32;
const maxManifests = 2_000;

/**
 * Files of a local checkout, as they are in its working tree. Links are not followed: neither that of a path itself,
 * nor those of folders above it; nothing outside of the folder is read. At most 4 MB of a file, and 100 MB in all.
 */
export class Checkout {
  readonly #root: string;
  #left = maxAllBytes;

  private constructor(root: string) {
    this.#root = root;
  }

  /** @throws Failure when the folder is not there. */
  static async open(folder: string): Promise<Checkout> {
    try {
      const root = await realpath(folder);
      if ((await lstat(root)).isDirectory()) return new Checkout(root);
    } catch {
      /* What follows says it. */
    }
    throw new Failure(`--repo ${folder} is not a folder`);
  }

  /**
   * @param path relative, with `/` between its parts.
   * @param isStrict whether the file has to be text (UTF-8).
   * @returns the file; undefined when there is none. A file that is a link, or below one, says so and has no text.
   * @throws Failure when the path leads out of the checkout, or is not a file that can be read.
   */
  async read(path: string, isStrict: boolean): Promise<FileState> {
    const parts = partsOf(path);
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const stats = await statOf(join(this.#root, ...parts.slice(0, depth)));
      if (stats === undefined) return undefined;
      if (stats.isSymbolicLink()) return { text: '', symbolicLink: true };
      if (depth < parts.length && !stats.isDirectory()) return undefined;
      if (depth === parts.length && !stats.isFile())
        throw new Failure(`${JSON.stringify(path)} is not a file`);
    }
    return { text: await this.#text(join(this.#root, ...parts), path, isStrict) };
  }

  /**
   * Returns the manifests below a folder by path (YAML, JSON, and what kustomize knows by name); none when it is not there.
   * @throws Failure when they are too many or too large.
   */
  async manifests(folder: string): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    const pending = [{ parts: folder === '' ? [] : partsOf(folder), depth: 0 }];
    let seen = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { parts, depth } = next;
      if (!(await this.#isFolder(parts))) continue;
      for (const entry of await readdir(join(this.#root, ...parts), { withFileTypes: true })) {
        seen += 1;
        if (seen > maxEntries || files.size > maxManifests || depth > maxDepth)
          throw new Failure(
            `${JSON.stringify(folder)} has more than ${maxManifests} manifests, or ${maxEntries} files, or folders too deep`,
          );
        const path = [...parts, entry.name];
        if (entry.isDirectory() && entry.name !== '.git') pending.push({ parts: path, depth: depth + 1 });
        if (entry.isFile() && isManifest(entry.name))
          files.set(path.join('/'), await this.#text(join(this.#root, ...path), path.join('/'), false));
      }
    }
    return files;
  }

  /** Whether it is one without passing a link. */
  async #isFolder(parts: readonly string[]): Promise<boolean> {
    for (let depth = 0; depth <= parts.length; depth += 1) {
      const stats = await statOf(join(this.#root, ...parts.slice(0, depth)));
      if (stats?.isDirectory() !== true) return false;
    }
    return true;
  }

  async #text(file: string, path: string, isStrict: boolean): Promise<string> {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new Failure(`${JSON.stringify(path)} is not a file`);
      this.#left -= stats.size;
      if (stats.size > maxFileBytes || this.#left < 0)
        throw new Failure(
          `${JSON.stringify(path)}: a file has more than ${maxFileBytes} bytes, or all of them too many`,
        );
      const buffer = Buffer.alloc(stats.size);
      const { bytesRead } = await handle.read(buffer, 0, stats.size, 0);
      return textOf(buffer.subarray(0, bytesRead), path, isStrict);
    } finally {
      await handle.close();
    }
  }
}

function isManifest(name: string): boolean {
  return /(\.(ya?ml|json)|^Kustomization)$/i.test(name);
}

function partsOf(path: string): string[] {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part)))
    throw new Failure(`${JSON.stringify(path)} leads out of the checkout`);
  return parts;
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function textOf(bytes: Buffer, path: string, isStrict: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: isStrict, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure(`${JSON.stringify(path)} is not text (UTF-8)`);
  }
}
