import { readFileSync } from 'node:fs';

/** The second lockfile contains the Node.js release of the images, which is installed separately. */
const lockfiles = ['package-lock.json', 'tools/ci/node24/package-lock.json'];

/**
 * Returns the optional packages that are named but have no entry. `npm install` omits an optional package from the
 * lockfile if the registry in use does not have it, and then `npm ci` fails elsewhere.
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

/* Follows the resolution of Node.js: the nearest node_modules, upwards from the dependent package. */
function resolves(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return true;
    if (folder === '') return false;
  }
}

/**
 * Returns the packages whose entry names a server, because other machines may use another registry, or has no hash with
 * which npm verifies the download.
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
        `${file} does not pin:\n  ${unpinned.join('\n  ')}\nInstall with omit-lockfile-registry-resolved, as configured in .npmrc.`,
      );
      process.exitCode = 1;
    }
  }
}
