import type { Call } from '../http/call.js';
import { pathOf, type JsonApi, type JsonRequest } from '../http/json-api.js';
import type { Page } from '../http/pages.js';
import type { Headers } from '../http/errors.js';

export interface GiteaRepositoryName {
  owner: string;
  name: string;
}

/** The default maximum page size of a server. */
const pageSize = 50;

/** The REST API, as seen by one token for one repository. */
export class GiteaClient {
  constructor(
    readonly api: JsonApi,
    readonly repository: GiteaRepositoryName,
  ) {}

  get fullName(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }

  /** Returns the path of a branch, whose name is the rest of the path, with its slashes. */
  branchPath(name: string): string {
    return this.path('branches') + pathOf(...name.split('/'));
  }

  /** @param parts the parts of the path below the repository. */
  path(...parts: readonly (string | number)[]): string {
    return pathOf('repos', this.repository.owner, this.repository.name, ...parts);
  }

  send<T>(method: JsonRequest['method'], path: string, call: Call, body?: object): Promise<T> {
    return this.api.send<T>({ method, path, body }, call);
  }

  /**
   * Returns all items of all pages. A server may return fewer items on a page than requested, so only the server
   * determines the last page: by the total in its headers, by a link, or by an empty page.
   *
   * @param itemsOf finds the items in a body.
   */
  list<D, T>(
    path: string,
    query: JsonRequest['query'],
    call: Call,
    itemsOf: (data: D) => T[] | null,
  ): Promise<T[]> {
    let seen = 0;
    return this.api.list<D, T>(
      (page) => ({ method: 'GET', path, query: { ...query, page, limit: pageSize } }),
      call,
      (data, headers) => {
        const items = itemsOf(data) ?? [];
        seen += items.length;
        return { items, more: hasMore(headers, items.length, seen) } satisfies Page<T>;
      },
    );
  }
}

function hasMore(headers: Headers, count: number, seen: number): boolean {
  if (count === 0) return false;
  const total = Number(headers['x-total-count'] ?? NaN);
  if (Number.isFinite(total)) return seen < total;
  const { link } = headers;
  return link === undefined ? count >= pageSize : /\brel="?next"?/.test(String(link));
}
