import { afterAll, beforeAll } from '@jest/globals';
import {
  Gate,
  GateBinding,
  GateOverride,
  type Condition,
  type FluxKind,
  type GateHold,
} from '@interlock/api';
import { MovableClock, recordLog } from '@interlock/base/testing';
import { Event, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  ensureNamespace,
  fluxKinds,
  FluxStandIn,
  installForeignKinds,
  startPlatform,
  systemNamespace,
  type ForeignKind,
  type ForeignObject,
  type EmbeddedPlatform,
} from '@interlock/stack';
import { startGates, type GateProcess } from './gate-process.js';

/** @returns a commit that differs from others by its letter. */
export const commitOf = (letter: string): string => letter.repeat(40);
export const onMain = (letter: string): string => `main@sha1:${commitOf(letter)}`;

/** The part of a binding that holds the GitRepository `shop` for the gate `freeze`. */
export const shop = { targets: [{ kind: 'GitRepository', name: 'shop' }], refs: [{ name: 'freeze' }] };

export interface HoldWorldOptions {
  /** Kinds of Flux that are installed. Default all. */
  kinds?: readonly ForeignKind[];
}

const processOptions = {
  stateTtlMs: 3_600_000,
  auditTtlMs: 0,
  calendarHosts: [],
  servesAdmission: false,
  skewMs: () => 0,
};

/** A cluster with Flux' kinds and a stand-in for its controllers, and gate-controller; each test has a {@link HoldTeam}. */
export class HoldWorld {
  #teams = 0;

  private constructor(
    readonly platform: EmbeddedPlatform,
    readonly clock: MovableClock,
    readonly flux: FluxStandIn,
    private process: GateProcess,
  ) {}

  static async start({ kinds = Object.values(fluxKinds) }: HoldWorldOptions = {}): Promise<HoldWorld> {
    const clock = new MovableClock();
    const platform = await startPlatform({ clock });
    await installForeignKinds(platform.client, kinds);
    await ensureNamespace(platform.client, systemNamespace);
    const flux = new FluxStandIn({ client: platform.connect('flux'), log: recordLog(), kinds });
    flux.start();
    const process = await startGates(platform, clock, processOptions);
    return new HoldWorld(platform, clock, flux, process);
  }

  get client(): Client {
    return this.platform.client;
  }

  get gates(): GateProcess {
    return this.process;
  }

  async team(): Promise<HoldTeam> {
    const namespace = `team-${++this.#teams}`;
    await ensureNamespace(this.client, namespace);
    return new HoldTeam(this, namespace);
  }

  /** A team with a GitRepository `shop` at commit `a`, a closed gate `freeze`, and a binding `release` of both. */
  async boundShop(binding: object = shop): Promise<HoldTeam> {
    const team = await this.team();
    await team.repository('shop');
    await team.gate('freeze', true);
    await team.bind('release', binding);
    return team;
  }

  /** The same, when `shop` is suspended. */
  async heldShop(): Promise<HoldTeam> {
    const team = await this.boundShop();
    await team.suspended('GitRepository', 'shop');
    return team;
  }

  /** Moves the time once nothing else is left to do. */
  async forward(ms: number): Promise<void> {
    await this.process.rest();
    this.clock.forward(ms);
  }

  async stopGates(): Promise<void> {
    await this.process.stop();
  }

  /** Starts gate-controller anew, with nothing but what the cluster holds. */
  async startGates(): Promise<void> {
    this.process = await startGates(this.platform, this.clock, processOptions);
  }

  async close(): Promise<void> {
    await this.process.stop();
    await this.flux.stop();
    await this.platform.close();
  }
}

/** Starts a world for all tests of a file, and closes it after them. Returns what gives the world to a test. */
export function useHoldWorld(): () => HoldWorld {
  let world: HoldWorld | undefined;
  beforeAll(async () => {
    world = await HoldWorld.start();
  });
  afterAll(() => world?.close());
  return () => {
    if (world === undefined) throw new Error('the world has not been started');
    return world;
  };
}

/** A namespace with gates, bindings and objects of Flux. */
export class HoldTeam {
  constructor(
    readonly world: HoldWorld,
    readonly namespace: string,
  ) {}

  get client(): Client {
    return this.world.client;
  }

  /** Makes a gate closed, or open. */
  async gate(name: string, closed: boolean, labels?: Record<string, string>): Promise<void> {
    const { namespace } = this;
    const metadata = { namespace, name, ...(labels && { labels }) };
    await this.client.apply(Gate, { metadata, spec: { closed } }, { fieldManager: 'team' });
  }

  /** Makes a binding, or changes it. */
  async bind(name: string, spec: object): Promise<void> {
    const { namespace } = this;
    await this.client.apply(GateBinding, { metadata: { namespace, name }, spec }, { fieldManager: 'team' });
  }

  async override(name: string, spec: object): Promise<void> {
    const { namespace } = this;
    await this.client.apply(GateOverride, { metadata: { namespace, name }, spec }, { fieldManager: 'team' });
  }

  /** Makes an object of Flux be as its manifest says. @param fieldManager whoever applies that */
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

  /** Makes a GitRepository that follows `main` of a remote of its own. */
  async repository(name: string, head = 'a', metadata: { labels?: object; annotations?: object } = {}) {
    await this.manifest('GitRepository', name, { url: this.url(name), ref: { branch: 'main' } }, metadata);
    this.push(name, head);
    await this.has('GitRepository', name, onMain(head));
  }

  url(name: string): string {
    return `https://git.example/${this.namespace}/${name}`;
  }

  /** The remote of a repository has another commit from now on. */
  push(name: string, letter: string): void {
    this.world.flux.setHead(this.url(name), onMain(letter));
  }

  object(kind: FluxKind, name: string): Promise<ForeignObject> {
    return this.client.get(fluxKinds[kind], { namespace: this.namespace, name });
  }

  /** Changes the spec as a person does. */
  async patch(kind: FluxKind, name: string, spec: object, fieldManager = 'kubectl-patch'): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.client.patch(fluxKinds[kind], key, { type: 'merge', patch: { spec } }, { fieldManager });
  }

  /** Waits until an object fulfils what is expected. @returns it */
  seen(kind: FluxKind, name: string, check: (object: ForeignObject) => void): Promise<ForeignObject> {
    return eventually(async () => {
      const object = await this.object(kind, name);
      check(object);
      return object;
    });
  }

  /** Waits until an object has a revision. */
  async has(kind: FluxKind, name: string, revision: string): Promise<void> {
    await this.seen(kind, name, ({ status }) => {
      const { artifact, lastAppliedRevision } = (status ?? {}) as {
        artifact?: { revision?: string };
        lastAppliedRevision?: string;
      };
      const found = artifact?.revision ?? lastAppliedRevision;
      if (found !== revision) throw new Error(`${kind} ${name} has ${found ?? 'nothing'}, not ${revision}`);
    });
  }

  /** Waits until an object is suspended, or is not. */
  async suspended(kind: FluxKind, name: string, expected = true): Promise<void> {
    await this.seen(kind, name, ({ spec }) => {
      if ((spec?.['suspend'] === true) !== expected)
        throw new Error(`${kind} ${name}: ${JSON.stringify(spec)}`);
    });
  }

  /** Waits until the status of a binding fulfils what is expected. @returns it */
  status(name: string, check: (status: NonNullable<GateBinding['status']>) => void) {
    return eventually(async () => {
      const { status } = await this.client.get(GateBinding, { namespace: this.namespace, name });
      if (status === undefined) throw new Error(`GateBinding ${name} has no status`);
      check(status);
      return status;
    });
  }

  /** Waits for a condition of a binding with a status. @returns it */
  async condition(name: string, type: string, expected: Condition['status']): Promise<Condition> {
    let found: Condition | undefined;
    await this.status(name, ({ conditions }) => {
      found = conditions?.find((condition) => condition.type === type);
      if (found?.status !== expected) throw new Error(`${type}: ${JSON.stringify(conditions)}`);
    });
    if (found === undefined) throw new Error(`no ${type}`);
    return found;
  }

  /** Waits until a binding reports a hold, or reports none. @returns it */
  async hold(name: string, target: string, check: (hold: GateHold | undefined) => void): Promise<void> {
    await this.status(name, ({ holds }) => check(holds?.find((hold) => hold.name === target)));
  }

  /** Waits until a binding reports that a hold has been seen: from then on its object takes nothing. */
  async confirmed(name: string, target: string): Promise<void> {
    await this.hold(name, target, (hold) => {
      if (hold?.confirmed !== true) throw new Error(`the hold of ${target} by ${name} is not confirmed`);
    });
  }

  /** Waits for an event about an object. @returns its note */
  async event(target: string, reason: string): Promise<string> {
    return eventually(async () => {
      const { items } = await this.client.list(Event, { namespace: this.namespace });
      const found = items.find((event) => event.regarding?.name === target && event.reason === reason);
      if (found === undefined) throw new Error(`no event ${reason} about ${target}`);
      return found.note ?? '';
    });
  }

  /** @returns the revisions that an object took, in order. */
  taken(kind: FluxKind, name: string): string[] {
    const { namespace } = this;
    return this.world.flux.taken
      .filter((one) => one.kind === kind && one.namespace === namespace && one.name === name)
      .map(({ revision }) => revision);
  }
}
