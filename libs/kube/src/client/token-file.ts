import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findHomeDir } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { listedFiles } from './kubeconfig-files.js';

/** The part of a kubeconfig that is read. */
interface Users {
  users?: { name?: string; user?: { tokenFile?: string } | null }[] | null;
}

/**
 * Returns the path of the token file (`tokenFile`) of a user of a kubeconfig, which `@kubernetes/client-node` does not
 * read; undefined if the user has none.
 *
 * @param source a file, its decoded content, or undefined for `KUBECONFIG` and `~/.kube/config`
 */
export function tokenFileOf(source: string | object | undefined, name: string): string | undefined {
  if (typeof source === 'object') return tokenFileIn(source, name, process.cwd());
  for (const file of source === undefined ? defaultFiles() : [source]) {
    const found = tokenFileIn(read(file), name, dirname(file));
    if (found !== undefined) return found;
  }
  return undefined;
}

function tokenFileIn({ users }: Users, name: string, folder: string): string | undefined {
  const file = users?.find((one) => one.name === name)?.user?.tokenFile;
  return file === undefined ? undefined : resolve(folder, file);
}

function defaultFiles(): string[] {
  const files = listedFiles();
  if (files.length > 0) return files;
  /* An arbitrary user, as in OpenShift, may have no home folder. */
  const home = findHomeDir();
  return home === null ? [] : [join(home, '.kube', 'config')];
}

/** Returns the users in a file. An unreadable file has no users; the kubeconfig itself has been read, or belongs to a cluster. */
function read(file: string): Users {
  try {
    return (load(readFileSync(file, 'utf8')) as Users | undefined) ?? {};
  } catch {
    return {};
  }
}
