import { keyOf, type Condition, type KubeObject, type ObjectKey } from '@interlock/api';
import { systemClock, type Clock, type Logger } from '@interlock/base';
import {
  createManager,
  generationChanged,
  Later,
  type Cache,
  type Client,
  type ControllerHandle,
  type Manager,
} from '@interlock/kube';
import { fluxKinds, type ForeignKind, type ForeignObject } from './kinds.js';
import { digestOf, revisionOf, sourceOf, urlOf } from './revisions.js';

/** A revision that a source fetched, or that an applier applied. */
interface Taken extends ObjectKey {
  kind: string;
  revision: string;
}

interface SimulatedFluxOptions {
  client: Client;
  log: Logger;
  clock?: Clock;
  /** The kinds that are installed. Default: all kinds with `spec.suspend`. */
  kinds?: readonly ForeignKind[];
}

/**
 * Simulates the source-, kustomize- and helm-controller of Flux, as far as gates hold their objects. A source fetches
 * the revision of its remote, or the revision in its spec. An applier applies the revision of its source. Suspended
 * objects do neither. All of them report the observed generation. There are no remotes; a test sets their revisions.
 */
export class SimulatedFlux {
  /** The revisions that were fetched or applied, in order. */
  readonly taken: Taken[] = [];
  readonly #heads = new Map<string, string>();
  readonly #manager: Manager;
  readonly #parts: { kind: ForeignKind; cache: Cache<ForeignObject>; handle: ControllerHandle }[];
  readonly #stopping = new AbortController();
  readonly #held = new Set<string>();
  #ended: Promise<void> | undefined;

  constructor(options: SimulatedFluxOptions) {
    const { client, log, clock = systemClock, kinds = Object.values(fluxKinds) } = options;
    this.#manager = createManager({ client, clock, log });
    this.#parts = kinds.map((kind) => ({
      kind,
      cache: this.#manager.cache(kind),
      handle: this.#manager.addReconciler({
        name: `flux-${kind.plural}`,
        for: { kind, predicate: generationChanged },
        watches: kinds.map((source) => ({ kind: source, map: (object) => this.#from(kind, object) })),
        observe: (object) => this.#observe(object),
        decide: decideTake,
        conclude: (_observed, status) => ({ status }),
        concluded: ({ observed }) => this.#noteTaken(observed),
      }),
    }));
  }

  start(): void {
    this.#ended = this.#manager.run(this.#stopping.signal);
    /* The caller that stops it handles the rejection. */
    this.#ended.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /**
   * Sets the revision of a remote, such as `main@sha1:<commit>` or `latest@sha256:<digest>`. Its sources are reconciled
   * immediately.
   */
  setHead(url: string, revision: string): void {
    this.#heads.set(url, revision);
    this.look();
  }

  /** Reconciles every object, as after its interval. */
  look(): void {
    for (const { cache, handle } of this.#parts)
      cache.list().forEach((object) => handle.enqueue(keyOf(object)));
  }

  /** Stops reconciling objects of this name until {@link go} is called, as if their controller were slow. */
  wait(name: string): void {
    this.#held.add(name);
  }

  go(name: string): void {
    this.#held.delete(name);
    this.look();
  }

  #observe(object: ForeignObject): ObservedFlux | Later {
    if (this.#held.has(object.metadata.name)) return new Later();
    const isSuspended = object.spec?.['suspend'] === true;
    return { object, revision: isSuspended ? undefined : this.#find(object) };
  }

  #noteTaken({ object, revision }: ObservedFlux): void {
    if (revision === undefined || revision === revisionOf(object)) return;
    this.taken.push({ kind: object.kind, ...keyOf(object), revision });
  }

  /** Returns the objects of a kind that use the revision of `source`. */
  #from(kind: ForeignKind, source: KubeObject): ObjectKey[] {
    const objects = this.#parts.find((part) => part.kind === kind)?.cache.list() ?? [];
    return objects.filter((object) => isFrom(object, source)).map(keyOf);
  }

  /** Returns the revision that an object would use now, or undefined if there is none. */
  #find(object: ForeignObject): string | undefined {
    const source = sourceOf(object);
    if (source === undefined) {
      const head = this.#heads.get(urlOf(object));
      return head === undefined ? undefined : digestOf(object, head);
    }
    const part = this.#parts.find(({ kind }) => kind.kind === source.kind);
    const from = part?.cache.get(source);
    return from && revisionOf(from);
  }
}

interface ObservedFlux {
  object: ForeignObject;
  /** The new revision; undefined if there is none. */
  revision: string | undefined;
}

/**
 * Returns the status of an object after it fetched or applied a revision. `now` is in milliseconds since the epoch.
 * Pure.
 */
function decideTake({ object, revision }: ObservedFlux, now: number): NonNullable<ForeignObject['status']> {
  const { status, metadata } = object;
  const seen = { ...status, observedGeneration: metadata.generation };
  return revision === undefined ? seen : { ...seen, ...takenStatus(object, revision, now) };
}

function takenStatus({ kind, metadata, status }: ForeignObject, revision: string, now: number): object {
  const ready: Condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: `stored artifact for revision '${revision}'`,
    lastTransitionTime: conditionTime(status) ?? new Date(now).toISOString(),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  const conditions = [ready];
  if (kind === fluxKinds.Kustomization.kind) {
    return { conditions, lastAppliedRevision: revision, lastAttemptedRevision: revision };
  }
  if (kind === fluxKinds.HelmRelease.kind) {
    return {
      conditions,
      lastAttemptedRevision: revision,
      history: [{ status: 'deployed', chartVersion: revision }],
    };
  }
  return { conditions, artifact: { revision, url: `http://source-controller/${metadata.name}.tar.gz` } };
}

function conditionTime(status: ForeignObject['status']): string | undefined {
  const [first] = (status?.['conditions'] ?? []) as readonly Condition[];
  return first?.lastTransitionTime;
}

function isFrom(applier: ForeignObject, source: KubeObject): boolean {
  const from = sourceOf(applier);
  return (
    from?.kind === source.kind &&
    from.name === source.metadata.name &&
    from.namespace === source.metadata.namespace
  );
}
