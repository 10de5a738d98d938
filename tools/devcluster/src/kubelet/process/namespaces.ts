import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, runProgram } from '@interlock/process';
import { StartProblem } from '../container-runtime.js';
import type { Launch } from './launch.js';
import { makeRootFolder } from './root-folder.js';

/*
 * A program can leave everything that ends it with its parent, but not its namespaces. They are two, one in the other: what
 * the kernel kills with the first process of the outer one is all of the container, which cannot reach that process.
 */
const outer = ['--user', '--map-root-user', '--pid'];
const inner = ['--mount', '--uts', '--pid'];
/*
 * Waits for the first process of a namespace from outside of it. Exits as it does, and does not write about it. It ends
 * with its parent: the launcher, or the process that waits outside of the outer namespace for this one, its first
 * process.
 */
const waitForFirst = `trap : HUP INT TERM; exec 3>&2 2> /dev/null
(exec "$@" 2>&3 3>&-)
exit $?`;
/*
 * What the first process does until it becomes the program: no other process stays in the namespace. It reads its id
 * while /proc still belongs to the machine, and reports it last, when signals reach the program. A machine that hides
 * parts of its /proc refuses another one: the container then keeps the /proc of the machine.
 */
const enterNamespaces = `read -r INTERLOCK_PID _ < /proc/self/stat && export INTERLOCK_PID &&
mount --all --fstab "$1" && hostname "$2" || exit 125
mount -t proc proc "$3/proc" 2> /dev/null
shift 2; exec chroot "$@"`;
const enterFolder = 'cd "$0" && echo "$INTERLOCK_PID" && unset INTERLOCK_PID && exec "$@"';
const followIntoFolder = 'cd "$0" && exec "$@"';
const probeTimeoutMs = 10_000;

/** The private resources of a container in namespaces. */
interface NamespaceOptions {
  /** Path of its root folder. */
  folder: string;
  hostname: string;
}

/**
 * Returns the launch in separate namespaces for users, mounts, the host name and processes: each volume is at its mount
 * path, and no process outlives the first one, or the parent of the launch. The first line of the output is the id of
 * the first process on the machine.
 * @throws StartProblem `StartError` for a program that is not in `PATH`.
 */
export function inNamespaces(launch: Launch, { folder, hostname }: NamespaceOptions): Launch {
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
  const wait = ['setpriv', '--pdeathsig', 'KILL', 'sh', '-c', waitForFirst, 'sh'];
  const outside = [...outer, ...wait, 'unshare', ...inner, ...wait];
  const first = ['sh', '-c', enterNamespaces, 'sh', fstab, hostname, root];
  const inside = ['sh', '-c', enterFolder, launch.folder, program, ...args];
  return { ...launch, program: 'unshare', args: [...outside, ...first, ...inside], folder: '/' };
}

/** Returns the launch of another program in the namespaces of a process. */
export function besideProcess(pid: number, launch: Launch): Launch {
  const { program, args, folder } = launch;
  const target = ['--target', String(pid), '--user', '--mount', '--uts', '--pid', '--root', '--wd'];
  const inside = ['sh', '-c', followIntoFolder, folder, program, ...args];
  return {
    ...launch,
    program: 'nsenter',
    args: [...target, '--preserve-credentials', ...inside],
    folder: '/',
  };
}

/** Returns whether this machine allows users to create such namespaces and mounts. */
export async function hasNamespaces(): Promise<boolean> {
  const environment = { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin' };
  if (process.platform !== 'linux' || findProgram('nsenter', environment.PATH) === undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), 'interlock-probe-'));
  const mounts = [{ mountPath: '/interlock-probe/folder', source: folder }];
  try {
    const probe = {
      program: 'test',
      args: ['-e', '/interlock-probe/folder/root'],
      environment,
      folder: '/',
      mounts,
    };
    const launch = inNamespaces(probe, { folder: join(folder, 'root'), hostname: 'probe' });
    const { code } = await runProgram({ ...launch, timeoutMs: probeTimeoutMs, maxOutputBytes: 10_000 });
    return code === 0;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
