import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const root = '/sys/fs/cgroup';
const periodMicroseconds = 100_000;
/** Milliseconds for the children of a proxy that was stopped to end. */
const longestEndMs = 10_000;

/** A control group whose processes may use a share of one CPU, like a container with a CPU limit. */
export class CpuQuota {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Creates a group.
   *
   * @param share the share of a CPU, such as 0.1
   * @returns undefined when this process is not allowed to create one
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

  /** Returns the command that moves itself into the group and then executes a program. */
  commandOf(program: string, args: readonly string[]): { program: string; args: string[] } {
    const script = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';
    return { program: 'sh', args: ['-c', script, 'sh', this.#folder, program, ...args] };
  }

  /** Removes the group when its last process has ended. @throws an Error when one does not end */
  async remove(): Promise<void> {
    const isEmpty = (): boolean => readFileSync(join(this.#folder, 'cgroup.procs'), 'utf8') === '';
    for (let left = longestEndMs; left > 0 && !isEmpty(); left -= 50) await setTimeout(50);
    rmdirSync(this.#folder);
  }
}
