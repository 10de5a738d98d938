import { readFileSync } from 'node:fs';

/** The second has the Node.js release of the images, which is not installed with the others. */
const lockfiles = ['package-lock.json', 'tools/ci/node24/package-lock.json'];

/**
 * `npm install` leaves an optional package out of the lockfile when the registry at hand lacks it, and `npm ci` then
 * fails elsewhere. @returns the packages that are named but have no entry.
 */
export function missingOptionalPackages(lock) {
  const packages = lock.packages ?? {};
  const missing = [];
  for (const [path, entry] of Object.entries(packages)) {
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!resolves(packages, path, name))
        missing.push(`${name} (optional dependency of ${path || 'the root'})`);
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

/**
 * Returns the packages whose entry names a server, which elsewhere is not the registry in use, or has no hash by which npm checks
 * what it downloads.
 */
export function unpinnedPackages({ packages = {} }) {
  const downloaded = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  return downloaded.flatMap(([path, { resolved, integrity, inBundle }]) => [
    ...(/^[a-z+]+:/.test(resolved ?? '') ? [`${path} (names the server of ${resolved})`] : []),
    ...(integrity === undefined && inBundle !== true ? [`${path} (has no integrity)`] : []),
  ]);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const file of lockfiles) {
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    const missing = missingOptionalPackages(lock);
    const unpinned = unpinnedPackages(lock);
    if (missing.length > 0) {
      console.error(
        `${file} lacks:\n  ${missing.join('\n  ')}\nPin a version whose optional packages all exist.`,
      );
      process.exitCode = 1;
    }
    if (unpinned.length > 0) {
      console.error(
        `${file} does not pin:\n  ${unpinned.join('\n  ')}\nInstall with omit-lockfile-registry-resolved, as .npmrc has it.`,
      );
      process.exitCode = 1;
    }
  }
}
