import type { FakeClock } from '@interlock/base/testing';
import { startForge, type Forge, type RepositoryHandle } from '@interlock/forge';
import { ForgeTime } from './forge-time.js';

/** A resource for a plugin, in the namespace of all tests. */
export interface Resource<Spec> {
  kind: string;
  metadata: { name: string; namespace: string };
  spec: Spec;
}

/** Returns a resource in the namespace of all tests. */
export function resource<Spec>(kind: string, name: string, spec: Spec): Resource<Spec> {
  return { kind, metadata: { name, namespace: 'team' }, spec };
}

/** A repository of one test, and the plugin's credential for it. */
export interface ForgeTenant<User, Spec> {
  readonly repository: RepositoryHandle;
  /** The user who administers the repository. */
  readonly owner: User;
  /** The user who may write to the repository. */
  readonly user: User;
  /** Login under which the forge records what the plugin does. */
  readonly login: string;
  readonly provider: Resource<Spec>;
  readonly secret: Readonly<Record<string, string>>;
  readonly gitRepository: Resource<Spec>;
}

/** A local forge for all tests of a file; each test has a {@link ForgeTenant} of its own. */
export abstract class ForgeFixture {
  #tenants = 0;

  protected constructor(
    readonly forge: Forge,
    protected readonly time: ForgeTime,
  ) {}

  /** The time of the forge and of the plugin; each test has its own, and it never goes back. */
  get clock(): FakeClock {
    return this.time.clock;
  }

  /** Prepares a test. Returns its number. */
  protected next(): number {
    this.forge.faults.clear();
    this.time.next();
    return ++this.#tenants;
  }

  close(): Promise<void> {
    return this.forge.close();
  }
}

/** Starts a forge whose time a test controls. */
export async function startForgeInTime(): Promise<{ forge: Forge; time: ForgeTime }> {
  const time = new ForgeTime();
  return { forge: await startForge({ clock: time.forge }), time };
}
