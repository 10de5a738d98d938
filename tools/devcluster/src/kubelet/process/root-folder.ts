import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Mount } from './mounts.js';

/** Path of the machine's root folder in a container. */
export const hostFolder = '/.host';

/** The devices of the machine in a container with its own `/dev`, as the OCI runtime specification lists them. */
const deviceFolder = '/dev';
const devices = new Set(
  'null zero full random urandom tty ptmx pts shm mqueue fd stdin stdout stderr'.split(' '),
);

/** A bind mount with its path outside of the container. */
interface Bind {
  source: string;
  target: string;
}

/**
 * Makes a root folder for a container, in which its mounts are at their paths and everything else is the same as on the
 * machine: the folders of the root are mounted, and where a mount requires a separate folder, the other entries of the
 * folder are links into `/.host`. Returns the table of these mounts in the format of fstab, for use in a mount
 * namespace.
 */
export function makeRootFolder(root: string, mounts: readonly Mount[]): string {
  const binds: Bind[] = [{ source: '/', target: join(root, hostFolder) }];
  const targets = new Map(mounts.map(({ mountPath, source }) => [resolveExisting(mountPath), source]));
  const opened = new Set([...targets.keys()].flatMap(ancestorsOf));
  mkdirSync(join(root, hostFolder), { recursive: true });
  for (const name of readdirSync('/')) {
    const path = `/${name}`;
    if (targets.has(path) || opened.has(path)) continue;
    if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(root, path));
    else binds.push(placed(root, path, path));
  }
  for (const folder of [...opened].filter((path) => path !== '/').sort())
    linkEntries(root, folder, opened, targets);
  const byDepth = [...targets].sort(([a], [b]) => a.length - b.length);
  for (const [path, source] of byDepth) binds.push(placed(root, path, source));
  return binds.map(fstabLine).join('');
}

/** Returns the path after resolving the links in the part that exists on the machine. */
function resolveExisting(path: string): string {
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      return join(realpathSync(folder), ...missing);
    } catch {
      missing.unshift(relative(dirname(folder), folder));
    }
  }
}

function ancestorsOf(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...ancestorsOf(folder)];
}

/** Creates the file or folder for a mount point. */
function placed(root: string, path: string, source: string): Bind {
  const target = join(root, path);
  if (statSync(source).isDirectory()) mkdirSync(target, { recursive: true });
  else {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, '');
  }
  return { source, target };
}

function linkEntries(
  root: string,
  folder: string,
  opened: ReadonlySet<string>,
  targets: ReadonlyMap<string, string>,
): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of entriesOf(folder)) {
    const path = join(folder, name);
    if (folder === deviceFolder && !devices.has(name)) continue;
    if (!opened.has(path) && !targets.has(path)) symlinkSync(join(hostFolder, path), join(root, path));
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fstabLine({ source, target }: Bind): string {
  const escape = (path: string): string =>
    path.replace(/[\\\s#]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `${escape(source)} ${escape(target)} none rbind 0 0\n`;
}
