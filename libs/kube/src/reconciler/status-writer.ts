import { isTyped, keyOf, type Kind, type KubeObject } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import type { Client } from '../client/types.js';
import type { EventRecorder } from '../runtime/events.js';
import { applyStatus } from '../runtime/status.js';
import type { CommonStatus, Conclusion, Reconciler, StatusMode, StatusOf } from './types.js';

const maxConflicts = 10;

type StatusWriterOptions<T extends KubeObject> = Pick<
  Reconciler<T, unknown, unknown, unknown>,
  'statusMode' | 'transitions' | 'written'
>;

interface StatusWriterParts<T extends KubeObject> {
  kind: Kind<T>;
  client: Client;
  events?: Pick<EventRecorder, 'recordTransitions'> | undefined;
}

/** The only writer of statuses: writes changed statuses, and an event for each condition that changed with them. */
export class StatusWriter<T extends KubeObject> {
  readonly #mode: StatusMode;

  readonly #options: StatusWriterOptions<T>;
  readonly #parts: StatusWriterParts<T>;

  constructor(options: StatusWriterOptions<T>, parts: StatusWriterParts<T>) {
    this.#options = options;
    this.#parts = parts;

    this.#mode = options.statusMode ?? 'merge';
  }

  /**
   * Writes the status of an object, unless it has that status already. Returns the object as it is stored.
   *
   * @throws ApiError `Conflict` when it was recreated or, unless the mode is `merge`, was changed meanwhile
   */
  async write(object: T, status: StatusOf<T>): Promise<T> {
    const before = statusOf(object);
    if (isSameStatus(before, status)) return object;
    const stored = await this.#store(object, status);
    this.#announce(object, before, status);
    return stored;
  }

  /**
   * Writes the status that follows from the current one. Returns the object as it is stored, and the conclusion.
   *
   * @throws ApiError `NotFound` when it is gone, `Conflict` when another object has its name or it changes continuously
   */
  async record<Next extends Pick<Conclusion<T>, 'status'>>(
    object: T,
    follow: (current: T) => Next,
  ): Promise<{ stored: T; next: Next }> {
    let current = object;
    for (let conflicts = 0; ; conflicts += 1) {
      const next = follow(current);
      const { status } = next;
      if (status === undefined) return { stored: current, next };
      try {
        return { stored: await this.write(current, status), next };
      } catch (error) {
        if (!isTyped(error, 'Conflict') || conflicts >= maxConflicts) throw error;
        const live = await this.#parts.client.get(this.#parts.kind, keyOf(object));
        if (live.metadata.uid !== object.metadata.uid) throw error;
        current = live;
      }
    }
  }

  #store(object: T, status: StatusOf<T>): Promise<T> {
    const { kind, client } = this.#parts;
    if (this.#mode === 'replace')
      return client.update(kind, { ...object, status }, { subresource: 'status' });
    const attempts = this.#mode === 'record' ? 1 : undefined;
    return applyStatus(client, kind, object, status, { attempts });
  }

  #announce(object: T, before: StatusOf<T> | undefined, after: StatusOf<T>): void {
    const { action = 'Reconcile', of } = this.#options.transitions ?? {};
    this.#options.written?.({ object, before, after });
    const reported = (status: CommonStatus | undefined) =>
      (status?.conditions ?? []).filter(({ type }) => of?.includes(type) ?? true);
    this.#parts.events?.recordTransitions(object, action, reported(before), reported(after));
  }
}

function statusOf<T extends KubeObject>(object: T): StatusOf<T> | undefined {
  return (object as { status?: StatusOf<T> }).status;
}

/**
 * Returns whether a status need not be written. An empty list is the same as none, as in Kubernetes
 * (`equality.Semantic`): an apply that removes all items of a list of maps removes the list.
 */
export function isSameStatus(before: object | undefined, after: object): boolean {
  return semanticEqual(before, after) || semanticEqual(withoutEmptyLists(before), withoutEmptyLists(after));
}

function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !Array.isArray(member) || member.length > 0);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmptyLists(member)]));
}
