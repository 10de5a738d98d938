import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const build = `
import { build } from 'esbuild';
import { workerPlugin } from './tools/bundle/worker-source.mjs';
const [entry, outfile] = process.argv.slice(1);
const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' };
await build({ entryPoints: [entry], outfile, plugins: [workerPlugin()], ...options });`;

/** Bundles `parent.ts` as apps are, into the file `path`. */
export function bundleParent(path: string): void {
  const entry = fileURLToPath(new URL('parent.ts', import.meta.url));
  execFileSync(process.execPath, ['--input-type=module', '--eval', build, '--', entry, path], { cwd: root });
}
