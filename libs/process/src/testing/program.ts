import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { workerPlugin } from '../../../../tools/bundle/worker-source.mjs';

/** Bundles `parent.ts` as apps are, into the file `outfile`. */
export async function bundleParent(outfile: string): Promise<void> {
  const entry = fileURLToPath(new URL('parent.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [workerPlugin()],
  });
}
