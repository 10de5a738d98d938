import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Returns the absolute path of a program, from the absolute folders of `path`, or undefined when none of them
 * contains it. A program that is started by name is searched for in these folders at every start.
 */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  const candidates = path.split(delimiter).filter(isAbsolute);
  return candidates.map((folder) => join(folder, name)).find(isProgram);
}

/** Returns whether the path names a file that this process may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
