import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';
const periodMicroseconds = 100_000;

/** A control group whose processes get a share of one CPU, as a container with a limit does. */
export class CpuQuota {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Makes a group.
   *
   * @param share of a CPU, such as 0.1
   * @returns undefined when this process may not make one
   */
  static create(share: number): CpuQuota | undefined {
    const quota = Math.round(share * periodMicroseconds);
    const isSecondVersion = existsSync(join(root, 'cgroup.controllers'));
    const folder = join(root, isSecondVersion ? '' : 'cpu', `interlock-bench-${process.pid}`);
    try {
      mkdirSync(folder);
      if (isSecondVersion) writeFileSync(join(folder, 'cpu.max'), `${quota} ${periodMicroseconds}`);
      else {
        writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicroseconds));
        writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
      }
      return new CpuQuota(folder);
    } catch {
      return undefined;
    }
  }

  /** Returns the command that starts a program in the group; it becomes the program. */
  commandOf(program: string, args: readonly string[]): { program: string; args: string[] } {
    const script = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';
    return { program: 'sh', args: ['-c', script, 'sh', this.#folder, program, ...args] };
  }

  /** Removes the group, which has to be empty. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
