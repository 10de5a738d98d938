import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findHomeDir } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { listedFiles } from './kubeconfig-files.js';

interface NamedUser {
  name?: string;
  user?: { tokenFile?: string } | null;
}

/** The part of a kubeconfig that is read. */
interface Users {
  users?: NamedUser[] | null;
}

/**
 * Returns the path of the token file (`tokenFile`) of a user of a kubeconfig, which `@kubernetes/client-node` does not
 * read; undefined if the user has none. Of several files, the first that defines the user counts.
 *
 * @param source a file, its decoded content, or undefined for `KUBECONFIG` and `~/.kube/config`
 */
export function tokenFileOf(source: string | object | undefined, name: string): string | undefined {
  if (typeof source === 'object') return tokenFileIn(userIn(source, name), process.cwd());
  for (const file of source === undefined ? defaultFiles() : [source]) {
    const found = userIn(read(file), name);
    if (found !== undefined) return tokenFileIn(found, dirname(file));
  }
  return undefined;
}

function userIn({ users }: Users, name: string): NamedUser | undefined {
  return users?.find((one) => one.name === name);
}

function tokenFileIn(found: NamedUser | undefined, folder: string): string | undefined {
  const file = found?.user?.tokenFile;
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
