import type { AppHandle, Forge } from '@interlock/forge';
import githubAppJwt from 'universal-github-app-jwt';
import {
  ForgeFixture,
  resource,
  startForgeInTime,
  type ForgeTenant,
  type Resource,
} from './forge-fixture.js';
import type { ForgeTime } from './forge-time.js';
import { User } from './github-user.js';

/** The kind of credential of the plugin: a GitHub App writes check runs, a token writes commit statuses. */
export type CredentialKind = 'app' | 'token';

interface GithubSpec {
  github: Record<string, unknown>;
}

/** A tenant at GitHub. */
export interface Tenant extends ForgeTenant<User, GithubSpec> {
  readonly kind: CredentialKind;
  /** The installation of the App; absent with a token. */
  readonly installationId: number | undefined;
}

/** A local forge that implements GitHub's API, for all tests of a file; each test has a {@link Tenant} of its own. */
export class GithubForge extends ForgeFixture {
  private constructor(
    forge: Forge,
    readonly app: AppHandle,
    readonly ann: User,
    time: ForgeTime,
  ) {
    super(forge, time);
  }

  static async start(): Promise<GithubForge> {
    const { forge, time } = await startForgeInTime();
    const app = await forge.createApp({ owner: 'interlock', name: 'Interlock' });
    const ann = new User(forge, await forge.createUser({ login: 'ann' }));
    return new GithubForge(forge, app, ann, time);
  }

  /** Makes the forge's clock run ahead of the plugin's. */
  set ahead(ms: number) {
    this.time.ahead = ms;
  }

  /** Prepares a test with a new owner and a new, empty repository of that owner. */
  async tenant(kind: CredentialKind): Promise<Tenant> {
    const { forge, ann: user } = this;
    const number = this.next();
    const owner = new User(forge, await forge.createUser({ login: `acme-${number}` }));
    const repository = await forge.createRepository({ owner: owner.login, name: 'web' });
    await forge.grant({ owner: owner.login, name: 'web', login: user.login, role: 'write' });
    const access = kind === 'app' ? await this.#install(owner) : await this.#invite(owner, number);
    const { github, ...rest } = access;
    const provider = resource('ScmProvider', 'acme', { github: { domain: forge.url, ...github } });
    return { kind, repository, owner, user, provider, gitRepository: resourceOf(repository), ...rest };
  }

  /** Uninstalls the App of an owner. */
  async uninstall(installationId: number): Promise<void> {
    const { appId: id, privateKeyPem: privateKey, slug: login } = this.app;
    const now = Math.floor(this.time.forge.now() / 1000);
    const { token } = await githubAppJwt({ id, privateKey, now });
    const app = new User(this.forge, { id, login, token });
    await app.ask('DELETE /app/installations/{installation_id}', { installation_id: installationId });
  }

  async #install({ login: owner }: User) {
    const { appId, privateKeyPem, slug } = this.app;
    const { installationId } = await this.forge.installApp({ appId, owner });
    const secret = { githubAppPrivateKey: privateKeyPem };
    return { github: { appID: appId }, login: `${slug}[bot]`, installationId, secret };
  }

  async #invite(owner: User, number: number) {
    const { login, token } = await this.forge.createUser({ login: `promoter-${number}` });
    await this.forge.grant({ owner: owner.login, name: 'web', login, role: 'write' });
    return { github: {}, login, installationId: undefined, secret: { token } };
  }
}

/** Returns the GitRepository that names a repository of the forge. */
export function resourceOf({ owner, name }: { owner: string; name: string }): Resource<GithubSpec> {
  return resource('GitRepository', name, { github: { owner, name } });
}
