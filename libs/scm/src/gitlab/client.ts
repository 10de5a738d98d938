import { exchangeOf, whatOf, type Call } from '../http/call.js';
import type { Headers } from '../http/errors.js';
import { bodyOf } from '../http/governed.js';
import { readThrough, type KnownReads } from '../http/known-reads.js';
import { allPages, hasNextPage, pageSize } from '../http/pages.js';
import type { ScmCaller } from '../metrics.js';
import type { GitlabProject } from './account.js';
import type { Ask, GitlabTransport } from './transport.js';

/** The REST API, as seen by one token for one project. */
export class ProjectClient {
  constructor(
    readonly transport: GitlabTransport,
    readonly project: GitlabProject,
    readonly caller: ScmCaller,
    readonly known: KnownReads,
  ) {}

  get fullName(): string {
    return `${this.project.namespace}/${this.project.name}`;
  }

  /** Identifies the project in the API. */
  get id(): string | number {
    return this.project.id ?? this.fullName;
  }

  /** Sends a change. Returns the body of the response. */
  send<T>(ask: Ask<T>, call: Call): Promise<T> {
    return this.#exchange(false, ask, call);
  }

  /** Reads without caching. Returns the body of the response. */
  get<T>(ask: Ask<T>, call: Call): Promise<T> {
    return this.#exchange(true, ask, call);
  }

  /** Reads conditionally. Returns the parsed body. */
  async read<D, T>(ask: Ask<D>, call: Call, parse: (data: D, headers: Headers) => T): Promise<T> {
    const exchange = exchangeOf(call, this.caller, this.fullName);
    const key = `${this.transport.account.id} ${await this.transport.urlOf(ask)}`;
    const send = (etag: string | undefined) => this.transport.send(true, { ...exchange, etag }, ask);
    return readThrough(this.known, key, send, parse);
  }

  /** Returns all items of all pages, each page stored in the form that `parse` returns; see {@link allPages}. */
  list<I, T>(
    ask: (paging: { perPage: number; page: number }) => Ask<I[]>,
    call: Call,
    parse: (items: I[]) => T[],
  ): Promise<T[]> {
    return allPages(whatOf(call, this.fullName), (page) =>
      this.read(ask({ perPage: pageSize, page }), call, (items, headers) => ({
        items: parse(items),
        more: hasNextPage(headers, items.length),
      })),
    );
  }

  async #exchange<T>(reads: boolean, ask: Ask<T>, call: Call): Promise<T> {
    const exchange = exchangeOf(call, this.caller, this.fullName);
    return bodyOf(await this.transport.send(reads, exchange, ask));
  }
}
