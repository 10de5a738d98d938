import { projectOf } from './rules/projects.js';

const exportPattern = /^export (?:async )?function\*? (\w+)/gm;

/**
 * Returns the files that export a function of the same name, by that name, as far as they are of two projects: either the
 * function belongs into a library, or two different things cannot be distinguished in a search.
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
