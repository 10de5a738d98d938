import type { GithubApi } from './github-api.js';

const maxPages = 5;

/**
 * Returns the repositories, as `owner/name`, whose jobs the registered runners may receive: the repository of the target, or the
 * repositories that the installation of the App sees, most recently pushed first, up to 500.
 *
 * @throws Refusal
 */
export async function listRepositories(api: GithubApi, signal: AbortSignal): Promise<string[]> {
  const { kind, path } = api.target;
  if (kind === 'repository') return [path.slice('/repos/'.length)];
  const items = await api.list(
    {
      endpoint: 'runs',
      priority: 'poll',
      what: 'list the repositories of the installation',
      method: 'GET',
      path: '/installation/repositories?',
    },
    'repositories',
    maxPages,
    signal,
  );
  const found: { name: string; pushedAt: string }[] = [];
  for (const item of items) {
    const name = item.text('full_name');
    if (name !== undefined) found.push({ name, pushedAt: item.text('pushed_at') ?? '' });
  }
  found.sort((a, b) => (a.pushedAt < b.pushedAt ? 1 : -1));
  return found.map(({ name }) => name);
}
