import { afterAll, beforeAll } from '@jest/globals';
import { MovableClock, recordLog } from '@interlock/base/testing';
import type { Client } from '@interlock/kube';
import {
  ensureNamespace,
  fluxKinds,
  SimulatedFlux,
  installForeignKinds,
  startPlatform,
  systemNamespace,
  type ForeignKind,
  type EmbeddedPlatform,
} from '@interlock/stack';
import { HoldTeam } from './hold-team.js';
import { startGates, type GateProcess } from './gate-process.js';

/** The part of a binding that holds the GitRepository `shop` for the gate `freeze`. */
export const shop = { targets: [{ kind: 'GitRepository', name: 'shop' }], refs: [{ name: 'freeze' }] };

interface HoldFixtureOptions {
  /** Flux kinds that are installed. Defaults to all of them. */
  kinds?: readonly ForeignKind[];
}

const processOptions = {
  stateTtlMs: 3_600_000,
  auditTtlMs: 0,
  calendarHosts: [],
  servesAdmission: false,
  skewMs: () => 0,
};

/**
 * A cluster with the Flux kinds, a simulation of the Flux controllers, and the gate-controller. Each test has a {@link
 * HoldTeam}.
 */
export class HoldFixture {
  #teams = 0;

  /* These are set once the fixture has begun. */
  platform!: EmbeddedPlatform;
  clock!: MovableClock;
  flux!: SimulatedFlux;
  #process!: GateProcess;

  static async start(options: HoldFixtureOptions = {}): Promise<HoldFixture> {
    const fixture = new HoldFixture();
    await fixture.begin(options);
    return fixture;
  }

  async begin({ kinds = Object.values(fluxKinds) }: HoldFixtureOptions = {}): Promise<void> {
    this.clock = new MovableClock();
    this.platform = await startPlatform({ clock: this.clock });
    await installForeignKinds(this.client, kinds);
    await ensureNamespace(this.client, systemNamespace);
    this.flux = new SimulatedFlux({ client: this.platform.connect('flux'), log: recordLog(), kinds });
    this.flux.start();
    this.#process = await startGates(this.platform, this.clock, processOptions);
  }

  get client(): Client {
    return this.platform.client;
  }

  get gates(): GateProcess {
    return this.#process;
  }

  async team(): Promise<HoldTeam> {
    const namespace = `team-${++this.#teams}`;
    await ensureNamespace(this.client, namespace);
    return new HoldTeam(this, namespace);
  }

  /**
   * Creates a team with a GitRepository `shop` at commit `a`, a closed gate `freeze`, and a binding `release` of both.
   */
  async boundShop(binding: object = shop): Promise<HoldTeam> {
    const team = await this.team();
    await team.repository('shop');
    await team.gate('freeze', true);
    await team.bind('release', binding);
    return team;
  }

  /** Creates a team like {@link boundShop}, and waits until `shop` is suspended. */
  async heldShop(): Promise<HoldTeam> {
    const team = await this.boundShop();
    await team.suspended('GitRepository', 'shop');
    return team;
  }

  /** Advances the time once there is no other work left. */
  async forward(ms: number): Promise<void> {
    await this.gates.rest();
    this.clock.forward(ms);
  }

  async stopGates(): Promise<void> {
    await this.gates.stop();
  }

  /** Restarts the gate-controller with only the state of the cluster. */
  async startGates(): Promise<void> {
    this.#process = await startGates(this.platform, this.clock, processOptions);
  }

  async close(): Promise<void> {
    await this.gates.stop();
    await this.flux.stop();
    await this.platform.close();
  }
}

/** Returns a fixture that begins before the tests of the calling file, and is closed after them. */
export function useHoldFixture(): HoldFixture {
  const fixture = new HoldFixture();
  beforeAll(() => fixture.begin());
  afterAll(() => fixture.close());
  return fixture;
}
