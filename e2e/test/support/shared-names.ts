import { projectOf } from './rules/projects.js';

const exportPattern = /^export (?:async )?function\*? (\w+)/gm;

/**
 * Returns the files of different projects that export a function of the same name, by name. Such a function belongs to
 * a library, or needs a distinguishable name.
 *
 * @param files their text by path
 */
export function sharedNames(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const exporting = new Map<string, string[]>();
  for (const [file, text] of files)
    for (const [, name = ''] of text.matchAll(exportPattern))
      exporting.set(name, [...(exporting.get(name) ?? []), file]);
  const shared = [...exporting].filter(([, found]) => new Set(found.map(projectOf)).size > 1);
  return new Map(shared.sort(([a], [b]) => (a < b ? -1 : 1)));
}
