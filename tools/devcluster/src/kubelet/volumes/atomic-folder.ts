import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  readdirSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { VolumeFiles } from './volume-files.js';

const dataLink = '..data';

/**
 * Writes the files of a volume so that a reader sees either all old files or all new files: `..data` is a link to the
 * folder that contains them, and is replaced by a rename. Source: Kubernetes pkg/volume/util/atomic_writer.go.
 */
export function writeAtomically(folder: string, files: VolumeFiles, version: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const current = currentVersion(folder);
  if (current !== undefined && isCurrent(join(folder, current), files)) return;
  const next = `..${version}`;
  for (const [path, { content, mode }] of files) {
    const target = join(folder, next, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, { mode });
    chmodSync(target, mode);
  }
  mkdirSync(join(folder, next), { recursive: true });
  symlinkSync(next, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, dataLink));
  linkNames(folder, files);
  if (current !== undefined) rmSync(join(folder, current), { recursive: true, force: true });
}

function currentVersion(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, dataLink));
  } catch {
    return undefined;
  }
}

function isCurrent(folder: string, files: VolumeFiles): boolean {
  const present = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  if (present.length !== files.size) return false;
  return [...files].every(([path, { content, mode }]) => {
    try {
      const target = join(folder, path);
      return readFileSync(target).equals(content) && (statSync(target).mode & 0o777) === mode;
    } catch {
      return false;
    }
  });
}

/** Creates the names that users see, which are links through `..data`. */
function linkNames(folder: string, files: VolumeFiles): void {
  const names = new Set([...files.keys()].map((path) => path.split('/')[0] ?? path));
  const present = readdirSync(folder).filter((name) => !name.startsWith('..'));
  for (const name of names)
    if (!present.includes(name)) symlinkSync(join(dataLink, name), join(folder, name));
  for (const name of present) if (!names.has(name)) rmSync(join(folder, name), { force: true });
}
