import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Dependencies of every bundle, in addition to its files and the manifest of its project. */
const shared = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.base.json',
  ...['bundle', 'entry', 'notices', 'packages', 'sbom', 'slim', 'worker-source'].map(
    (name) => `tools/bundle/${name}.mjs`,
  ),
];

/**
 * Returns whether the bundle of a project exists, and none of its sources is newer or was deleted.
 *
 * @param root the base folder of the paths.
 * @param project the folder of the project.
 */
export function isCurrent(root, project) {
  const meta = join(root, project, 'dist/meta.json');
  if (!existsSync(meta)) return false;
  const madeAt = statSync(meta).mtimeMs;
  const metafile = metafileIn(readFileSync(meta, 'utf8'));
  if (metafile === undefined) return false;
  const { inputs, outputs } = metafile;
  /* A script for a thread is part of a bundle. Inputs with a prefix are not files, and have no separate output. */
  const files = Object.keys(inputs).filter((path) => !/^(?:worker-source|stoppable-entry):/.test(path));
  const made = Object.keys(outputs).filter((path) => path.startsWith(`${project}/dist/`));
  const modified = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs;
  return (
    made.every((path) => modified(path) !== undefined) &&
    [...files, ...shared, `${project}/package.json`].every((path) => (modified(path) ?? Infinity) <= madeAt)
  );
}

/**
 * Returns the parsed metafile; undefined for an incomplete file, such as after an interruption of Nx, so that the
 * bundle is built again.
 */
function metafileIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
