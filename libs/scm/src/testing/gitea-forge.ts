import type { FakeClock } from '@interlock/base/testing';
import { startForge, type Forge, type RepositoryHandle } from '@interlock/forge';
import { ForgeTime } from './forge-time.js';
import { GiteaPerson } from './gitea-person.js';

/** Puts the section of a provider or of a repository into a spec. */
export type SpecOf = (section: Record<string, unknown>) => Record<string, Record<string, unknown>>;

/** A repository that nobody else uses, and the plugin's token for it. */
export interface GiteaTenant {
  readonly repository: RepositoryHandle;
  /** Administers the repository. */
  readonly owner: GiteaPerson;
  /** May write to the repository. */
  readonly person: GiteaPerson;
  /** Under which the forge records what the plugin does. */
  readonly login: string;
  readonly provider: Resource;
  readonly secret: Readonly<Record<string, string>>;
  readonly gitRepository: Resource;
}

interface Resource {
  kind: string;
  metadata: { name: string; namespace: string };
  spec: Record<string, Record<string, unknown>>;
}

const namespace = 'team';

/** A local forge that speaks Gitea's API, for all tests of a file; each test has a {@link GiteaTenant} of its own. */
export class GiteaForge {
  #tenants = 0;

  private constructor(
    private readonly specOf: SpecOf,
    readonly forge: Forge,
    readonly ann: GiteaPerson,
    private readonly time: ForgeTime,
  ) {}

  static async start(specOf: SpecOf): Promise<GiteaForge> {
    const time = new ForgeTime();
    const forge = await startForge({ clock: time.forge });
    const ann = new GiteaPerson(forge, await forge.createUser({ login: 'ann' }));
    return new GiteaForge(specOf, forge, ann, time);
  }

  get clock(): FakeClock {
    return this.time.clock;
  }

  /** Begins a test: a new owner with a new, empty repository. */
  async tenant(): Promise<GiteaTenant> {
    const { forge, ann: person } = this;
    forge.faults.clear();
    this.time.next();
    const number = ++this.#tenants;
    const owner = new GiteaPerson(forge, await forge.createUser({ login: `acme-${number}` }));
    const repository = await forge.createRepository({ owner: owner.login, name: 'web' });
    const { login, token } = await forge.createUser({ login: `promoter-${number}` });
    for (const writer of [person.login, login]) {
      await forge.grant({ owner: owner.login, name: 'web', login: writer, role: 'write' });
    }
    return {
      repository,
      owner,
      person,
      login,
      secret: { token },
      provider: this.#resource('ScmProvider', { domain: forge.url, server: forge.url }),
      gitRepository: this.#resource('GitRepository', {
        owner: owner.login,
        name: 'web',
        repository: repository.fullName,
      }),
    };
  }

  close(): Promise<void> {
    return this.forge.close();
  }

  #resource(kind: string, section: Record<string, unknown>): Resource {
    return { kind, metadata: { name: 'web', namespace }, spec: this.specOf(section) };
  }
}
