import type { EventResponse } from '@interlock/api';
import type { Cache } from '@interlock/kube';
import type { AbsentTarget } from '@interlock/responding';
import type { RecordedRoute } from '../config/recorded-route.js';
import { addressOf } from '../config/repositories.js';

const removalIndex = 'planned removal';

/** Records the removals from repositories that responses have made, or are about to make. */
export class Removals {
  readonly #responses: Pick<Cache<EventResponse>, 'addIndex' | 'byIndex'>;

  /** Adds an index to the responses. Call it before the cache starts. */
  constructor(responses: Pick<Cache<EventResponse>, 'addIndex' | 'byIndex'>) {
    this.#responses = responses;

    responses.addIndex(removalIndex, ({ status = {} }) => {
      const { route, plan, stage } = status;
      const { files = [] } = plan ?? {};
      if (route === undefined || plan === undefined || files.length === 0) return [];
      const deleted = stage === 'Merged' ? files.filter(({ change }) => change === 'delete') : [];
      return [digestKey(route, plan.digest), ...deleted.map(({ path }) => pathKey(route, path))];
    });
  }

  /**
   * Returns whether a missing target existed before: a response planned the same operations when there was something to
   * change, or its merged pull request deletes the file.
   */
  has(route: RecordedRoute, { path }: AbsentTarget, digest: string): boolean {
    const keys = [digestKey(route, digest), pathKey(route, path)];
    return keys.some((key) => this.#responses.byIndex(removalIndex, key).length > 0);
  }
}

function digestKey(route: RecordedRoute, digest: string): string {
  return `${addressOf(route.provider, route)} ${route.baseBranch} operations ${digest}`;
}

function pathKey(route: RecordedRoute, path: string): string {
  return `${addressOf(route.provider, route)} ${route.baseBranch} path ${path}`;
}
