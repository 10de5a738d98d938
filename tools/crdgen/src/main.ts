import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crdFolder, generatedFiles } from './files.js';

/**
 * Writes the CustomResourceDefinitions and the API reference; with `--check`, fails if a file differs from what would
 * be written. Usage: `node main.mjs [--check]`, in the workspace root.
 */
const check = process.argv.includes('--check');
const files = generatedFiles();
const stale: string[] = [];

for (const [path, content] of files) {
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === content) continue;
  stale.push(path);
  if (check) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
for (const name of await readdir(crdFolder).catch(() => [])) {
  const path = join(crdFolder, name);
  if (files.has(path)) continue;
  stale.push(path);
  if (!check) await rm(path);
}

if (check && stale.length > 0) {
  console.error(`Not up to date. Run "npx nx run crdgen:generate" for these files:\n  ${stale.join('\n  ')}`);
  process.exitCode = 1;
}
