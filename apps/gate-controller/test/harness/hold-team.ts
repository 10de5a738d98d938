import {
  Gate,
  GateBinding,
  GateOverride,
  type Condition,
  type FluxKind,
  type GateHold,
} from '@interlock/api';
import { Event, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { fluxKinds, revisionOf, type SimulatedFlux, type ForeignObject } from '@interlock/stack';

/** Returns a commit that differs from others by its letter. */
export const commitOf = (letter: string): string => letter.repeat(40);
export const onMain = (letter: string): string => `main@sha1:${commitOf(letter)}`;

/** The part of the fixture that a team uses. */
interface TeamFixture {
  readonly client: Client;
  readonly flux: SimulatedFlux;
}

/** A namespace with gates, bindings and Flux objects. */
export class HoldTeam {
  readonly #fixture: TeamFixture;

  constructor(
    fixture: TeamFixture,
    readonly namespace: string,
  ) {
    this.#fixture = fixture;
  }

  get client(): Client {
    return this.#fixture.client;
  }

  /** Creates or changes a gate that is closed or open. */
  async gate(name: string, closed: boolean, labels?: Record<string, string>): Promise<void> {
    const { namespace } = this;
    const metadata = { namespace, name, ...(labels && { labels }) };
    await this.client.apply(Gate, { metadata, spec: { closed } }, { fieldManager: 'team' });
  }

  /** Creates or changes a binding. */
  async bind(name: string, spec: object): Promise<void> {
    const { namespace } = this;
    await this.client.apply(GateBinding, { metadata: { namespace, name }, spec }, { fieldManager: 'team' });
  }

  async override(name: string, spec: object): Promise<void> {
    const { namespace } = this;
    await this.client.apply(GateOverride, { metadata: { namespace, name }, spec }, { fieldManager: 'team' });
  }

  /**
   * Applies the manifest of a Flux object.
   *
   * @param fieldManager manager that applies it
   */
  async manifest(
    kind: FluxKind,
    name: string,
    spec: object,
    {
      fieldManager = 'kustomize-controller',
      ...metadata
    }: { fieldManager?: string; labels?: object; annotations?: object } = {},
  ): Promise<void> {
    const { namespace } = this;
    const configuration = { metadata: { namespace, name, ...metadata }, spec };
    await this.client.apply(fluxKinds[kind], configuration, { fieldManager });
  }

  /** Creates a GitRepository that follows `main` of a separate remote. */
  async repository(name: string, head = 'a', metadata: { labels?: object; annotations?: object } = {}) {
    await this.manifest('GitRepository', name, { url: this.url(name), ref: { branch: 'main' } }, metadata);
    this.push(name, head);
    await this.has('GitRepository', name, onMain(head));
  }

  url(name: string): string {
    return `https://git.example/${this.namespace}/${name}`;
  }

  /** Sets the commit of the remote of a repository. */
  push(name: string, letter: string): void {
    this.#fixture.flux.setHead(this.url(name), onMain(letter));
  }

  object(kind: FluxKind, name: string): Promise<ForeignObject> {
    return this.client.get(fluxKinds[kind], { namespace: this.namespace, name });
  }

  /** Changes the spec as a user does. */
  async patch(kind: FluxKind, name: string, spec: object, fieldManager = 'kubectl-patch'): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.client.patch(fluxKinds[kind], key, { type: 'merge', patch: { spec } }, { fieldManager });
  }

  /** Waits until an object meets the expectation, and returns it. */
  seen(kind: FluxKind, name: string, check: (object: ForeignObject) => void): Promise<ForeignObject> {
    return eventually(async () => {
      const object = await this.object(kind, name);
      check(object);
      return object;
    });
  }

  /** Waits until an object has a revision. */
  async has(kind: FluxKind, name: string, revision: string): Promise<void> {
    await this.seen(kind, name, (object) => {
      const found = revisionOf(object);
      if (found !== revision) throw new Error(`${kind} ${name} has ${found ?? 'nothing'}, not ${revision}`);
    });
  }

  /** Waits until an object is suspended, or until it is not suspended. */
  async suspended(kind: FluxKind, name: string, expected = true): Promise<void> {
    await this.seen(kind, name, ({ spec }) => {
      if ((spec?.['suspend'] === true) !== expected)
        throw new Error(`${kind} ${name}: ${JSON.stringify(spec)}`);
    });
  }

  /** Waits until the status of a binding meets the expectation, and returns it. */
  status(name: string, check: (status: NonNullable<GateBinding['status']>) => void) {
    return eventually(async () => {
      const { status } = await this.client.get(GateBinding, { namespace: this.namespace, name });
      if (status === undefined) throw new Error(`GateBinding ${name} has no status`);
      check(status);
      return status;
    });
  }

  /** Waits until a binding has a condition with a status, and returns it. */
  async condition(name: string, type: string, expected: Condition['status']): Promise<Condition> {
    let found: Condition | undefined;
    await this.status(name, ({ conditions }) => {
      found = conditions?.find((condition) => condition.type === type);
      if (found?.status !== expected) throw new Error(`${type}: ${JSON.stringify(conditions)}`);
    });
    if (found === undefined) throw new Error(`no ${type}`);
    return found;
  }

  /** Waits until a binding reports a hold, or reports that it has none, and returns the hold. */
  async hold(name: string, target: string, check: (hold: GateHold | undefined) => void): Promise<void> {
    await this.status(name, ({ holds }) => check(holds?.find((hold) => hold.name === target)));
  }

  /** Waits until a binding reports that a hold has been observed: from then on its object does not take a revision. */
  async confirmed(name: string, target: string): Promise<void> {
    await this.hold(name, target, (hold) => {
      if (hold?.confirmed !== true) throw new Error(`the hold of ${target} by ${name} is not confirmed`);
    });
  }

  /** Waits for an event about an object, and returns its note. */
  async event(target: string, reason: string): Promise<string> {
    return eventually(async () => {
      const { items } = await this.client.list(Event, { namespace: this.namespace });
      const found = items.find((event) => event.regarding?.name === target && event.reason === reason);
      if (found === undefined) throw new Error(`no event ${reason} about ${target}`);
      return found.note ?? '';
    });
  }

  /** Returns the revisions that an object took, in order. */
  taken(kind: FluxKind, name: string): string[] {
    const { namespace } = this;
    return this.#fixture.flux.taken
      .filter((one) => one.kind === kind && one.namespace === namespace && one.name === name)
      .map(({ revision }) => revision);
  }
}
