import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from './contract-fixture.js';

/**
 * Returns the script that injects the faults, except rate limits, which git does not have. `cut`: the process is killed
 * after its effect.
 */
const script = (folder: string): string => `#!/bin/sh
for token in '${folder}'/"$1"/*; do
  [ -e "$token" ] || break
  mv "$token" '${folder}'/used 2>/dev/null || continue
  case "$token" in
    *-unauthorized|*-forbidden) echo "error: cannot open '.git/refs': Permission denied" >&2; exit 128 ;;
    *-notFound) echo "fatal: not a git repository: '$GIT_DIR'" >&2; exit 128 ;;
    *-invalid) echo "fatal: invalid ref format" >&2; exit 128 ;;
    *-serverError) echo "fatal: Unable to create 'packed-refs.lock': File exists." >&2; exit 128 ;;
    *-cut) git "$@" >/dev/null; kill -9 $$ ;;
  esac
done
exec git "$@"
`;

/** A git program with failures that a test injects. */
export class FaultyGit {
  readonly path: string;
  #tokens = 0;

  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;

    this.path = join(folder, 'git');
  }

  static async create(): Promise<FaultyGit> {
    const program = new FaultyGit(await mkdtemp(join(tmpdir(), 'faulty-git-')));
    await writeFile(program.path, script(program.#folder));
    await chmod(program.path, 0o755);
    return program;
  }

  /** Applies the fault to the next `times` processes with that subcommand. */
  inject(subcommand: string, fault: Fault, times: number): void {
    mkdirSync(join(this.#folder, subcommand), { recursive: true });
    for (let time = 0; time < times; time++) {
      writeFileSync(join(this.#folder, subcommand, `${++this.#tokens}-${fault}`), '');
    }
  }

  /** Removes the remaining faults. */
  async clear(): Promise<void> {
    for (const subcommand of ['update-ref', 'cat-file']) {
      await rm(join(this.#folder, subcommand), { recursive: true, force: true });
    }
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
