import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartProblem } from '../container-runtime.js';
import type { ImageProgram } from './image-table.js';
import type { Mount } from './mounts.js';

/**
 * Copies the files of an image for one container, which may write to them. Copies of an earlier run are removed.
 *
 * @param folder the folder for the copies
 * @throws StartProblem `CreateContainerError` when a folder of the image cannot be copied
 */
export function copyImageFiles({ files = {} }: ImageProgram, folder: string): Mount[] {
  rmSync(folder, { recursive: true, force: true });
  return Object.entries(files).map(([mountPath, from], index) => {
    const source = join(folder, String(index));
    try {
      cpSync(from, source, { recursive: true, verbatimSymlinks: true });
    } catch (error) {
      throw new StartProblem('CreateContainerError', `failed to copy ${from}: ${(error as Error).message}`);
    }
    return { mountPath, source };
  });
}

/** Creates the mount points of the other mounts of a container in the copied files of its image. */
export function makeMountPoints(copies: readonly Mount[], mounts: readonly Mount[]): void {
  for (const copy of copies)
    for (const { mountPath, source } of mounts) {
      if (!mountPath.startsWith(`${copy.mountPath}/`)) continue;
      const place = join(copy.source, mountPath.slice(copy.mountPath.length));
      const isFolder = statSync(source).isDirectory();
      mkdirSync(isFolder ? place : dirname(place), { recursive: true });
      if (!isFolder) writeFileSync(place, '', { flag: 'a' });
    }
}
