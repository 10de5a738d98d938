import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A git wrapper, first in the PATH of an app, that kills the app right before or after one of its `update-ref`s in a
 * repository.
 */
export class KillingGit {
  private constructor(readonly folder: string) {}

  static async create(folder: string): Promise<KillingGit> {
    const script = `#!/bin/sh
PATH="\${PATH#*:}"
case "$1 $GIT_DIR" in "update-ref $(cat '${folder}/target')"*) ;; *) exec git "$@" ;; esac
echo >> '${folder}/seen'
point="$(cat '${folder}/point' 2>/dev/null)"
seen="$(wc -l < '${folder}/seen')"
# The parent is the launcher of the app.
app="$(cut -d ' ' -f 4 "/proc/$PPID/stat")"
case "$point" in
  "$((seen)) before") rm '${folder}/point'; kill -9 "$app"; exit 1 ;;
  "$((seen)) after") rm '${folder}/point'; git "$@"; kill -9 "$app"; exit 1 ;;
esac
exec git "$@"
`;
    await writeFile(join(folder, 'git'), script, { mode: 0o700 });
    return new KillingGit(folder);
  }

  /** Resets the count for a repository, and sets the point at which the app is killed, if any. */
  async arm(repository: string, point?: string): Promise<void> {
    await rm(join(this.folder, 'seen'), { force: true });
    await writeFile(join(this.folder, 'target'), repository);
    await writeFile(join(this.folder, 'point'), point ?? '');
  }

  /** Returns whether the point has occurred, and the app was killed there. */
  killed(): boolean {
    return !existsSync(join(this.folder, 'point'));
  }

  /** Returns the number of `update-ref`s since the last `arm`. */
  async seen(): Promise<number> {
    return (await readFile(join(this.folder, 'seen'), 'utf8')).length;
  }
}
