import { readFileSync } from 'node:fs';

/**
 * `npm install` leaves an optional package out of the lockfile when the registry at hand lacks it, and `npm ci` then
 * fails elsewhere. @returns the packages that are named but have no entry.
 */
export function missingOptionalPackages(lock) {
  const packages = lock.packages ?? {};
  const missing = [];
  for (const [path, entry] of Object.entries(packages)) {
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!resolves(packages, path, name)) missing.push(`${name} (optional dependency of ${path || 'the root'})`);
    }
  }
  return missing;
}

/* Node's own resolution: the nearest node_modules, going up from the dependent. */
function resolves(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return true;
    if (folder === '') return false;
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const missing = missingOptionalPackages(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  if (missing.length > 0) {
    console.error(`package-lock.json lacks:\n  ${missing.join('\n  ')}\nPin a version whose optional packages all exist.`);
    process.exitCode = 1;
  }
}
