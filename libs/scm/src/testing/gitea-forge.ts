import type { Forge } from '@interlock/forge';
import { ForgeFixture, resource, startForgeInTime, type ForgeTenant } from './forge-fixture.js';
import type { ForgeTime } from './forge-time.js';
import { GiteaUser } from './gitea-user.js';

/** Puts the section of a provider or of a repository into a spec. */
export type SpecOf = (section: Record<string, unknown>) => Record<string, Record<string, unknown>>;

/** A tenant at Gitea. */
export type GiteaTenant = ForgeTenant<GiteaUser, ReturnType<SpecOf>>;

/**
 * A local forge that implements Gitea's API, for all tests of a file; each test has a {@link GiteaTenant} of its own.
 */
export class GiteaForge extends ForgeFixture {
  readonly #specOf: SpecOf;

  private constructor(
    specOf: SpecOf,
    forge: Forge,
    readonly ann: GiteaUser,
    time: ForgeTime,
  ) {
    super(forge, time);
    this.#specOf = specOf;
  }

  static async start(specOf: SpecOf): Promise<GiteaForge> {
    const { forge, time } = await startForgeInTime();
    const ann = new GiteaUser(forge, await forge.createUser({ login: 'ann' }));
    return new GiteaForge(specOf, forge, ann, time);
  }

  /** Prepares a test with a new owner and a new, empty repository of that owner. */
  async tenant(): Promise<GiteaTenant> {
    const { forge, ann: user } = this;
    const number = this.next();
    const owner = new GiteaUser(forge, await forge.createUser({ login: `acme-${number}` }));
    const repository = await forge.createRepository({ owner: owner.login, name: 'web' });
    const { login, token } = await forge.createUser({ login: `promoter-${number}` });
    for (const writer of [user.login, login]) {
      await forge.grant({ owner: owner.login, name: 'web', login: writer, role: 'write' });
    }
    return {
      repository,
      owner,
      user,
      login,
      secret: { token },
      provider: resource('ScmProvider', 'web', this.#specOf({ domain: forge.url, server: forge.url })),
      gitRepository: resource(
        'GitRepository',
        'web',
        this.#specOf({ owner: owner.login, name: 'web', repository: repository.fullName }),
      ),
    };
  }
}
