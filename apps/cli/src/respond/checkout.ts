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
 * Reads files of a local checkout from its working tree. Links are not followed, neither for a path itself nor for the
 * folders above it, so nothing outside of the folder is read. At most 4 MB of a file are read, and 100 MB in total.
 */
export class Checkout {
  readonly #root: string;
  #left = maxAllBytes;

  private constructor(root: string) {
    this.#root = root;
  }

  /**
   * Opens a checkout.
   *
   * @throws Failure if the folder does not exist
   */
  static async open(folder: string): Promise<Checkout> {
    try {
      const root = await realpath(folder);
      if ((await lstat(root)).isDirectory()) return new Checkout(root);
    } catch {
      /* The failure below reports this. */
    }
    throw new Failure(`--repo ${folder} is not a folder`);
  }

  /**
   * Returns the file; undefined if it does not exist. A file that is a link, or is below one, is marked as such and has
   * no text.
   *
   * @param path relative, with `/` between its parts
   * @param isStrict whether the file must be text (UTF-8)
   * @throws Failure if the path is outside of the checkout, or is not a readable file
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
   * Returns the manifests below a folder by path (YAML, JSON, and files that kustomize knows by name); none if the
   * folder does not exist.
   *
   * @throws Failure if there are too many manifests or files, or they are too large
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
            `${JSON.stringify(folder)} has more than ${maxManifests} manifests or ${maxEntries} files, or its folders are nested too deeply`,
          );
        const path = [...parts, entry.name];
        if (entry.isDirectory() && entry.name !== '.git') pending.push({ parts: path, depth: depth + 1 });
        if (entry.isFile() && isManifest(entry.name))
          files.set(path.join('/'), await this.#text(join(this.#root, ...path), path.join('/'), false));
      }
    }
    return files;
  }

  /** Returns whether the path is a folder and contains no link. */
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
          `${JSON.stringify(path)}: the file has more than ${maxFileBytes} bytes, or all files together are too large`,
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
    throw new Failure(`${JSON.stringify(path)} is outside of the checkout`);
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
