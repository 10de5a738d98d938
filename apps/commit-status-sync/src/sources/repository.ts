import { withoutEnds, type AnyScmProvider, type GitRepository } from '@interlock/api';

const defaultHosts = new Map([
  ['github', 'github.com'],
  ['gitlab', 'gitlab.com'],
]);

/**
 * Returns `host/owner/name` of a git URL in lower case, without port, user and `.git`, so that the https and the ssh
 * address of a repository are the same; undefined for a text that is not a git URL.
 */
export function repositoryOfUrl(url: string): string | undefined {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(url);
  if (scp?.[1] !== undefined && scp[2] !== undefined) return normal(scp[1], scp[2]);
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname } = new URL(url);
  return hostname === '' ? undefined : normal(hostname, pathname);
}

/** Returns `host/owner/name` of the remote of a GitRepository; undefined when no section names a repository. */
export function repositoryOf(gitRepository: GitRepository, provider: AnyScmProvider): string | undefined {
  const { scmProviderRef: _provider, ...sections } = gitRepository.spec;
  for (const [scm, section] of Object.entries(sections)) {
    const owner = textOf(section, 'owner') ?? textOf(section, 'namespace');
    const name = textOf(section, 'name');
    const domain = textOf(new Map(Object.entries(provider.spec)).get(scm), 'domain') ?? defaultHosts.get(scm);
    if (owner === undefined || name === undefined || domain === undefined) continue;
    return repositoryOfUrl(`${/^https?:\/\//.test(domain) ? '' : 'https://'}${domain}/${owner}/${name}`);
  }
  return undefined;
}

/** Returns the branch that a revision names: `dev` for `dev` and `refs/heads/dev`. */
export function branchOf(revision: string): string {
  return revision.replace(/^refs\/heads\//, '');
}

function normal(host: string, path: string): string {
  const trimmed = withoutEnds(path, '/').replace(/\.git$/, '');
  return `${host}/${trimmed}`.toLowerCase();
}

function textOf(section: unknown, field: string): string | undefined {
  if (typeof section !== 'object' || section === null) return undefined;
  const value = new Map<string, unknown>(Object.entries(section)).get(field);
  return typeof value === 'string' ? value : undefined;
}
