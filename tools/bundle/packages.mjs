import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const marker = 'node_modules/';
const noticeName = /^(licen[cs]e|copying|notice)([-._].*)?$/i;

/**
 * Returns the third-party packages in a bundle, sorted by name and version.
 *
 * @param metafile the metafile of esbuild; only files that end up in an output count.
 * @param root the base folder of its paths.
 */
export function bundledPackages(metafile, root) {
  const folders = new Set();
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = packageFolder(path);
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  const packages = [...folders].map((folder) => readPackage(join(root, folder)));
  /* The same version may be in several folders. */
  return [...new Map(packages.map((one) => [`${one.name}@${one.version}`, one])).values()].sort(compare);
}

/** Returns the folder of the package that contains a file, or undefined for a file of this project. */
export function packageFolder(path) {
  const at = path.lastIndexOf(marker);
  if (at < 0) return undefined;
  const rest = path.slice(at + marker.length).split('/');
  const name = rest.slice(0, rest[0].startsWith('@') ? 2 : 1).join('/');
  return path.slice(0, at + marker.length) + name;
}

function readPackage(folder) {
  const { name, version, license, licenses, author, homepage, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && noticeName.test(entry.name))
    .map((entry) => ({ file: entry.name, text: readFileSync(join(folder, entry.name), 'utf8').trim() }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  return {
    name,
    version,
    license: license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR '),
    author: author?.name ?? author,
    source: repository?.url ?? repository ?? homepage,
    texts,
  };
}

function compare(a, b) {
  return a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1;
}
