import { fileURLToPath } from 'node:url';
import { kubeconfigFlags } from '@interlock/stack';
import type { Answer } from './kubectl.js';
import { run } from './program.js';
import type { Fixture } from './fixture.js';

const bundle = fileURLToPath(new URL('../../../apps/cli/dist/main.mjs', import.meta.url));

/** Runs the bundle of the command line as an administrator of the cluster. Returns its output and exit code. */
export function runCli({ folder, platform }: Fixture, ...args: string[]): Promise<Answer> {
  const flags = kubeconfigFlags(platform.cluster.kubeconfigFile(folder));
  return run(process.execPath, [bundle, ...args, ...flags], { env: { HOME: folder } });
}
