import { TypedError, type CommitStatusPhase } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import type { Call } from '../http/call.js';
import { readableUrl } from '../http/text.js';
import type { CommitStatusIds, CommitStatusInfo, CommitStatusRequest } from '../scm.js';
import { absent, readObjects, writeBlob } from './objects.js';
import type { LocalStore } from './store.js';

const phases: readonly string[] = [
  'queued',
  'in_progress',
  'success',
  'failure',
  'cancelled',
] satisfies CommitStatusPhase[];

type Statuses = Map<string, Omit<CommitStatusInfo, 'name'>>;

/** Commit statuses: for each commit a JSON blob of all of them, by name, to which `refs/interlock/statuses/<commit>` points. */
export class LocalStatuses {
  readonly #store: LocalStore;

  constructor(store: LocalStore) {
    this.#store = store;
  }

  /** Ensures a status. The ids are empty, because git does not have ids for statuses. */
  async ensure(desired: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds> {
    const { sha, name, phase, description = '' } = desired;
    const url = readableUrl(desired.url);
    const call = statusCall('set', 'status', sha, options);
    await this.#store.change(call, async (commit, signal) => {
      const { id, statuses } = await this.#load(sha, signal);
      const current = statuses.get(name);
      if (current?.phase === phase && current.description === description && current.url === url) return;
      if (id === undefined) await this.#requireCommit(sha, signal);
      statuses.set(name, { phase, description, url });
      const text = `${JSON.stringify(Object.fromEntries(statuses), undefined, 2)}\n`;
      const to = await writeBlob(this.#store.git, text, signal);
      await commit([{ ref: statusRef(sha), to, from: id ?? absent }]);
    });
    return {};
  }

  list(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]> {
    return this.#store.read(statusCall('list', 'read', sha, options), async (signal) => {
      const { statuses } = await this.#load(sha, signal);
      return [...statuses].map(([name, status]) => ({ name, ...status }));
    });
  }

  /** Returns the names without a successful status on the commit. */
  async missing(sha: string, names: readonly string[], signal?: AbortSignal): Promise<string[]> {
    if (names.length === 0) return [];
    const { statuses } = await this.#load(sha, signal);
    return names.filter((name) => statuses.get(name)?.phase !== 'success');
  }

  async #load(sha: string, signal?: AbortSignal): Promise<{ id: string | undefined; statuses: Statuses }> {
    const ref = statusRef(sha);
    const found = (await readObjects(this.#store.git, [ref], signal)).get(ref);
    return { id: found?.id, statuses: parseStatuses(found?.content ?? '{}', ref) };
  }

  async #requireCommit(sha: string, signal?: AbortSignal): Promise<void> {
    const found = (await readObjects(this.#store.git, [sha], signal)).get(sha);
    if (found?.type === 'commit') return;
    throw new TypedError('Invalid', `there is no commit ${sha}`, { reason: 'CommitMissing' });
  }
}

/**
 * Returns the reference of the statuses of a commit. @throws TypedError `Invalid` for a malformed commit id, which must not
 * become part of a reference.
 */
function statusRef(sha: string): string {
  if (/^[0-9a-f]{40}$/.test(sha)) return `refs/interlock/statuses/${sha}`;
  throw new TypedError('Invalid', `${JSON.stringify(sha)} is not the full id of a commit`);
}

function parseStatuses(text: string, ref: string): Statuses {
  const invalid = (): never => {
    throw new TypedError('Invalid', `${ref}: it is not a JSON object of statuses by name; delete it`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid();
  }
  if (typeof value !== 'object' || value === null) return invalid();
  return new Map(
    Object.entries(value).map(([name, status]: [string, unknown]) => {
      const fields = new Map<string, unknown>(Object.entries(status ?? {}));
      const phase = fields.get('phase');
      const url = fields.get('url');
      if (!isPhase(phase)) return invalid();
      return [
        name,
        {
          phase,
          description: String(fields.get('description') ?? ''),
          ...(typeof url === 'string' ? { url } : {}),
        },
      ];
    }),
  );
}

function isPhase(value: unknown): value is CommitStatusPhase {
  return typeof value === 'string' && phases.includes(value);
}

function statusCall(
  operation: string,
  priority: Call['priority'],
  sha: string,
  options: CallOptions | undefined,
): Call {
  return { api: 'CommitStatus', operation, priority, options, object: `commit status at ${sha}` };
}
