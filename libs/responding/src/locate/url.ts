import { withoutEnds } from '@interlock/api';

/**
 * Returns the host and the path of the URL of a Git repository, in lower case and without `.git`, for comparison:
 * `https://github.com/Org/Repo.git` and `git@github.com:org/repo` are equal. Undefined for other URLs.
 */
function repositoryOf(url: string): { host: string; path: string } | undefined {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)([^\s]+)$/.exec(url);
  if (scp !== null) return normal(scp[1] ?? '', scp[2] ?? '');
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, pathname } = new URL(url);
  return /^(https?|ssh|git):$/.test(protocol) ? normal(hostname, pathname) : undefined;
}

function normal(host: string, path: string): { host: string; path: string } {
  const trimmed = withoutEnds(path, '/').replace(/\.git$/, '');
  return { host: host.toLowerCase(), path: trimmed.toLowerCase() };
}

/**
 * Returns whether a URL identifies a repository.
 * @param host the host of the provider of a route, with or without a scheme and a port.
 * @param repository `owner/name`
 */
export function isRepository(url: string, host: string, repository: string): boolean {
  const found = repositoryOf(url);
  const target = repositoryOf(`https://${host.replace(/^https?:\/\//, '')}/${repository}`);
  return found !== undefined && found.host === target?.host && found.path === target.path;
}
