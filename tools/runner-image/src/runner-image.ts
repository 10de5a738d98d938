import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageTable } from '@interlock/devcluster';
import { source } from './program/program.worker.js';

/** Name of the image with GitHub's runner; it applies to all of its tags and digests. */
const runnerImageName = 'ghcr.io/actions/actions-runner';

/** Root folder of the runner in the image. */
const runnerHome = '/home/runner';

/** The options of an image. */
interface RunnerImageOptions {
  /** Folder in which the root folder of a runner is created; created if it does not exist. */
  folder: string;
  /** Default: {@link runnerImageName}. */
  name?: string | undefined;
  /** The Node.js of the image; default: the Node.js of this process. */
  node?: string | undefined;
}

/**
 * Creates the root folder of a runner whose `bin/Runner.Worker` is the simulated runner, and returns the entry with
 * which the embedded cluster runs the image. It has no `run.sh`, because a pod of the gateway starts the worker alone.
 */
export function runnerImage({
  folder,
  name = runnerImageName,
  node = process.execPath,
}: RunnerImageOptions): ImageTable {
  for (const path of ['bin', 'externals/node20/bin']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'bin/Runner.Worker.cjs'), source);
  /* A container that has files below the folder of Node.js reaches the machine's under /.host. */
  const nodeScript = `#!/bin/sh\nfor node in '/.host${node}' '${node}'; do [ -x "$node" ] && exec "$node" "$@"; done\nexit 127\n`;
  writeFileSync(join(folder, 'externals/node20/bin/node'), nodeScript, { mode: 0o755 });
  const workerScript = `#!/bin/sh\nhere=\${0%/*}\nexec "$here/../externals/node20/bin/node" "$here/Runner.Worker.cjs" "$@"\n`;
  writeFileSync(join(folder, 'bin/Runner.Worker'), workerScript, { mode: 0o755 });
  return { [name]: { command: ['/bin/sh'], files: { [runnerHome]: folder } } };
}
