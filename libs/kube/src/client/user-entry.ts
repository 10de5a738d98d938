import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findHomeDir } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { impersonationOf, type Impersonation, type ImpersonationFields } from './impersonation.js';
import { listedFiles } from './kubeconfig-files.js';

interface NamedUser {
  name?: string;
  user?: ({ tokenFile?: string } & ImpersonationFields) | null;
}

/** The part of a kubeconfig that is read. */
interface Users {
  users?: NamedUser[] | null;
}

/** What `@kubernetes/client-node` does not read of a user of a kubeconfig. */
interface UserEntry {
  /** Folder to which relative paths in the entry refer. */
  folder: string;
  /** Path of the file with the token. */
  tokenFile?: string | undefined;
  impersonation: Impersonation;
}

/**
 * Returns the entry of a user in a kubeconfig; it is empty if the kubeconfig does not define the user. Of several files,
 * the first that defines the user counts.
 *
 * @param source a file, its decoded content, or undefined for `KUBECONFIG` and `~/.kube/config`
 * @throws TypedError `Invalid` when a field for impersonation has another type than in Kubernetes
 */
export function userEntryOf(source: string | object | undefined, name: string): UserEntry {
  if (typeof source === 'object') return entryIn(userIn(source, name), process.cwd());
  for (const file of source === undefined ? defaultFiles() : [source]) {
    const found = userIn(read(file), name);
    if (found !== undefined) return entryIn(found, dirname(file));
  }
  return { folder: process.cwd(), impersonation: {} };
}

function userIn({ users }: Users, name: string): NamedUser | undefined {
  return users?.find((one) => one.name === name);
}

function entryIn(found: NamedUser | undefined, folder: string): UserEntry {
  const user = found?.user ?? {};
  return {
    folder,
    tokenFile: user.tokenFile === undefined ? undefined : resolve(folder, user.tokenFile),
    impersonation: impersonationOf(user, found?.name ?? ''),
  };
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
