import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What every bundle depends on, besides the files in it and the manifest of its project. */
const shared = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.base.json',
  ...['bundle', 'notices', 'packages', 'sbom', 'worker-source'].map((name) => `tools/bundle/${name}.mjs`),
];

/**
 * Returns whether the bundle of a project is there, and nothing that it was made from is newer or gone.
 *
 * @param root the folder that the paths begin at.
 * @param project the folder of the project.
 */
export function isCurrent(root, project) {
  const meta = join(root, project, 'dist/meta.json');
  if (!existsSync(meta)) return false;
  const madeAt = statSync(meta).mtimeMs;
  const metafile = metafileIn(readFileSync(meta, 'utf8'));
  if (metafile === undefined) return false;
  const { inputs, outputs } = metafile;
  /* A script for a thread is part of a bundle: its inputs with that prefix are not files, and it has no output of its own. */
  const files = Object.keys(inputs).filter((path) => !path.startsWith('worker-source:'));
  const made = Object.keys(outputs).filter((path) => path.startsWith(`${project}/dist/`));
  const modified = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs;
  return (
    made.every((path) => modified(path) !== undefined) &&
    [...files, ...shared, `${project}/package.json`].every((path) => (modified(path) ?? Infinity) <= madeAt)
  );
}

/** Returns undefined for a file that was not written to its end, as when Nx was interrupted: the bundle is made again. */
function metafileIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
