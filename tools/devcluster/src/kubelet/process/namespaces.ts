import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, runProgram } from '@interlock/process';
import { StartProblem } from '../container-runtime.js';
import type { Launch } from './launch.js';
import { makeRootFolder } from './root-folder.js';

/* Makes the mounts, enters the root folder and the working folder, and becomes the program: no process stays between. */
const script = 'mount --all --fstab "$1" || exit 125; shift; exec chroot "$@"';
const enterFolder = 'cd "$0" && exec "$@"';
const probeTimeoutMs = 10_000;

/**
 * Returns the launch in namespaces of its own for users and mounts, in which each volume is at its mount path.
 * @param folder where the root folder of the container is made.
 * @throws StartProblem `StartError` for a program that is not in `PATH`.
 */
export function inNamespaces(launch: Launch, folder: string): Launch {
  const { program, args, environment } = launch;
  const path = environment['PATH'] ?? '';
  if (!program.includes('/') && findProgram(program, path) === undefined) {
    throw new StartProblem('StartError', `exec: "${program}": executable file not found in $PATH`);
  }
  const root = join(folder, 'root');
  const fstab = join(folder, 'fstab');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  writeFileSync(fstab, makeRootFolder(root, launch.mounts));
  return entered(launch, fstab, root, [program, ...args]);
}

/** Returns the launch of another program in namespaces like those of a container that runs. */
export function besideContainer(container: Launch, folder: string, command: readonly string[]): Launch {
  return entered(container, join(folder, 'fstab'), join(folder, 'root'), command);
}

function entered(launch: Launch, fstab: string, root: string, command: readonly string[]): Launch {
  const inside = ['sh', '-c', enterFolder, launch.folder, ...command];
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', fstab, root, ...inside];
  return { ...launch, program: 'unshare', args, folder: '/' };
}

/** Returns whether this machine lets its users make such namespaces and mounts. */
export async function hasNamespaces(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'interlock-probe-'));
  const environment = { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin' };
  const mounts = [{ mountPath: '/interlock-probe/folder', source: folder }];
  try {
    const probe = {
      program: 'test',
      args: ['-e', '/interlock-probe/folder/root'],
      environment,
      folder: '/',
      mounts,
    };
    const launch = inNamespaces({ ...probe }, join(folder, 'root'));
    const { code } = await runProgram({ ...launch, timeoutMs: probeTimeoutMs, maxOutputBytes: 10_000 });
    return code === 0;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
