import { run } from './program.js';
import { isEmbedded, stackFlags } from './test-cluster.js';

/** The bundle of `npm start`. */
export const stackBundle = 'tools/stack/dist/main.mjs';

/** Returns the arguments of Node.js for `npm start` with these arguments, on the cluster on which the tests run. */
export function stackCommand(...args: string[]): string[] {
  return [stackBundle, ...args, ...stackFlags];
}

/** Deletes the objects that `npm start -- --keep` kept in a cluster. An embedded cluster ends with its process. */
export async function removeKept(): Promise<void> {
  if (isEmbedded) return;
  const { code, stdout, stderr } = await run(process.execPath, stackCommand('--clean'), {
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
}
