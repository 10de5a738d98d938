import { isObject, pointerOf } from './json.js';
import type { Json } from './operation.js';
import { folderOf, inFolder, resolvePath } from './paths.js';
import { findDocuments } from './yaml/documents.js';
import { removeAt } from './yaml/patch.js';
import { parseYaml } from './yaml/source.js';

/** The file names of a kustomization. */
export const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/* Fields of a kustomization that are lists of paths, and those that are lists of objects with one
   (kustomize's api/types). */
const pathLists = [
  'resources',
  'bases',
  'crds',
  'configurations',
  'generators',
  'transformers',
  'validators',
  'patchesStrategicMerge',
];
const objectLists = ['patches', 'patchesJson6902'];

/** Returns the kustomizations that can list a file: the kustomizations of its folder and of each folder above. */
export function kustomizationsFor(path: string): string[] {
  const paths: string[] = [];
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    paths.push(...kustomizationNames.map((name) => inFolder(folder, name)));
    if (folder === '') return paths;
  }
}

/** Returns the text of a kustomization without the entries for a file. */
export function withoutEntry(kustomization: string, text: string, file: string): string {
  const folder = folderOf(kustomization);
  const names = (entry: Json | undefined) => typeof entry === 'string' && resolvePath(folder, entry) === file;
  let current = text;
  for (const { index, value } of findDocuments(kustomization, parseYaml(kustomization, text))) {
    if (!isObject(value)) continue;
    const lists = [...pathLists, ...objectLists].map((field) => ({ field, list: value[field] }));
    const entries = lists.flatMap(({ field, list }) =>
      (Array.isArray(list) ? list : []).flatMap((entry, at) =>
        names(isObject(entry) && objectLists.includes(field) ? entry['path'] : entry)
          ? [pointerOf([field, at])]
          : [],
      ),
    );
    /* Starts with the last one, so that the offsets of the others stay valid. */
    for (const entry of entries.reverse()) current = removeAt(kustomization, current, index, entry);
  }
  return current;
}
