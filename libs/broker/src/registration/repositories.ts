import { Fields } from '../wire/fields.js';
import type { GithubApi } from './github-api.js';

const perPage = 100;
const maxPages = 5;
const maxPageBytes = 8 << 20;

/**
 * Returns the repositories, as `owner/name`, whose jobs the registered runners may receive: the repository of the target, or the
 * repositories that the installation of the App sees, most recently pushed first, up to 500.
 *
 * @throws Refusal
 */
export async function listRepositories(api: GithubApi, signal: AbortSignal): Promise<string[]> {
  const { kind, path } = api.target;
  if (kind === 'repository') return [path.slice('/repos/'.length)];
  const found: { name: string; pushedAt: string }[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const value = await api.read(
      {
        endpoint: 'runs',
        priority: 'poll',
        what: 'list the repositories of the installation',
        method: 'GET',
        path: `/installation/repositories?per_page=${perPage}&page=${page}`,
        maxBytes: maxPageBytes,
      },
      signal,
    );
    const items = new Fields(value).list('repositories').map((item) => new Fields(item));
    for (const item of items) {
      const name = item.text('full_name');
      if (name !== undefined) found.push({ name, pushedAt: item.text('pushed_at') ?? '' });
    }
    if (items.length < perPage) break;
  }
  found.sort((a, b) => (a.pushedAt < b.pushedAt ? 1 : -1));
  return found.map(({ name }) => name);
}
