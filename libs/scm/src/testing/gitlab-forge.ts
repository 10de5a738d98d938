import type { Forge } from '@interlock/forge';
import { ForgeFixture, resource, startForgeInTime, type ForgeTenant } from './forge-fixture.js';
import type { ForgeTime } from './forge-time.js';
import { GitlabUser } from './gitlab-user.js';

/** A tenant at GitLab, whose repository is a project. */
export type GitlabTenant = ForgeTenant<GitlabUser, { gitlab: Record<string, unknown> }>;

/**
 * A local forge that implements GitLab's API, for all tests of a file; each test has a {@link GitlabTenant} of its
 * own.
 */
export class GitlabForge extends ForgeFixture {
  private constructor(
    forge: Forge,
    readonly ann: GitlabUser,
    time: ForgeTime,
  ) {
    super(forge, time);
  }

  static async start(): Promise<GitlabForge> {
    const { forge, time } = await startForgeInTime();
    const ann = new GitlabUser(forge, await forge.createUser({ login: 'ann' }));
    return new GitlabForge(forge, ann, time);
  }

  /** Prepares a test with a new group and a subgroup, which contains a new, empty project. */
  async tenant(): Promise<GitlabTenant> {
    const { forge, ann: user } = this;
    const number = this.next();
    const group = `acme-${number}/platform`;
    const repository = await forge.createRepository({ owner: group, name: 'web' });
    const grant = (login: string, role: 'write' | 'admin'): Promise<void> =>
      forge.grant({ owner: group, name: 'web', login, role });
    const owner = new GitlabUser(forge, await forge.createUser({ login: `owner-${number}` }));
    const { login, token } = await forge.createUser({ login: `promoter-${number}` });
    await grant(owner.login, 'admin');
    await grant(user.login, 'write');
    await grant(login, 'write');
    return {
      repository,
      owner,
      user,
      login,
      provider: resource('ScmProvider', 'acme', { gitlab: { domain: forge.url } }),
      secret: { token },
      gitRepository: resource('GitRepository', 'web', { gitlab: { namespace: group, name: 'web' } }),
    };
  }
}
