import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { TypedError } from '@interlock/api';

const name = /^[A-Za-z0-9_][-A-Za-z0-9._]*(\/[A-Za-z0-9_][-A-Za-z0-9._]*)*$/;

/**
 * Returns the directory, with links resolved.
 * @param path `spec.local.path` of a provider.
 * @param roots directories that the operator allows for providers; links in them are resolved.
 * @param namespace the namespace of the provider: it may use the folder of that name in a root; empty for a provider
 *   of the whole cluster, which may use all of it.
 * @throws TypedError `Permanent` (`LocalNotAllowed`) outside of the roots, `NotFound` when it does not exist.
 */
export function directoryOf(path: string, roots: readonly string[], namespace = ''): string {
  const refuse = (): never => {
    throw new TypedError(
      'Permanent',
      `spec.local.path: ${JSON.stringify(path)} is not in a directory that this process lets ${namespace === '' ? 'providers' : `providers of namespace ${namespace}`} use; start it with --local-repositories=<directory>, and keep the repositories of a namespace in the folder of that name there`,
      { reason: 'LocalNotAllowed' },
    );
  };
  if (roots.length === 0 || !isAbsolute(path)) return refuse();
  const directory = realPath(path, 'spec.local.path');
  const own = roots.map((root) => join(realPath(root, '--local-repositories'), namespace));
  const allowed = own.some((root) => isInside(directory, root));
  return allowed ? directory : refuse();
}

/**
 * Returns the bare repository, with links resolved. It is always inside the directory.
 * @param directory as from {@link directoryOf}.
 * @param repository `spec.local.name` of a GitRepository; `.git` may be omitted.
 * @throws TypedError `Invalid` for a name that points outside, `NotFound` when there is no bare repository.
 */
export function repositoryPath(directory: string, repository: string): string {
  const invalid = (problem: string): never => {
    throw new TypedError('Invalid', `spec.local.name: ${JSON.stringify(repository)} ${problem}`);
  };
  if (!name.test(repository))
    return invalid('must consist of names that are separated by slashes and do not begin with a dot');
  const full = repository.endsWith('.git') ? repository : `${repository}.git`;
  const path = realPath(join(directory, full), 'spec.local.name');
  if (path === directory || !isInside(path, directory))
    return invalid('points outside spec.local.path of the provider');
  // git would search a `.git` below, or the directories above, and so leave the directory.
  for (const part of ['HEAD', 'objects', 'refs']) {
    if (!isInside(realPath(join(path, part), 'spec.local.name'), path))
      return invalid('has parts outside its own directory');
  }
  return path;
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realPath(path: string, field: string): string {
  try {
    const real = realpathSync(path);
    statSync(real);
    return real;
  } catch {
    throw new TypedError('NotFound', `${field}: ${path} does not exist, or may not be read`, {
      reason: 'RepositoryNotFound',
    });
  }
}
