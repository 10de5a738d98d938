import type { FakeClock } from '@interlock/base/testing';
import { startForge, type AppHandle, type Forge, type RepositoryHandle } from '@interlock/forge';
import githubAppJwt from 'universal-github-app-jwt';
import { ForgeTime } from './forge-time.js';
import { Person } from './github-person.js';

/** With what the plugin logs in: a GitHub App writes check runs, a token writes commit statuses. */
export type CredentialKind = 'app' | 'token';

/** A repository that nobody else uses, and the plugin's credential for it. */
export interface Tenant {
  readonly kind: CredentialKind;
  readonly repository: RepositoryHandle;
  /** Owns the repository. */
  readonly owner: Person;
  /** May write to the repository. */
  readonly person: Person;
  /** Login under which the forge records what the plugin does. */
  readonly login: string;
  /** Of the App; with a token there is none. */
  readonly installationId: number | undefined;
  readonly provider: Resource;
  readonly secret: Readonly<Record<string, string>>;
  readonly gitRepository: Resource;
}

interface Resource {
  kind: string;
  metadata: { name: string; namespace: string };
  spec: { github: Record<string, unknown> };
}

const namespace = 'team';

/** A local forge that speaks GitHub's API, for all tests of a file; each test has a {@link Tenant} of its own. */
export class GithubForge {
  #tenants = 0;

  private constructor(
    readonly forge: Forge,
    readonly app: AppHandle,
    readonly ann: Person,
    private readonly time: ForgeTime,
  ) {}

  static async start(): Promise<GithubForge> {
    const time = new ForgeTime();
    const forge = await startForge({ clock: time.forge });
    const app = await forge.createApp({ owner: 'interlock', name: 'Interlock' });
    const ann = new Person(forge, await forge.createUser({ login: 'ann' }));
    return new GithubForge(forge, app, ann, time);
  }

  /** The time of the forge and of the plugin; each test has its own, and none goes back. */
  get clock(): FakeClock {
    return this.time.clock;
  }

  /** Makes the forge's clock run ahead of ours. */
  set ahead(ms: number) {
    this.time.ahead = ms;
  }

  /** Begins a test: a new owner with a new, empty repository. */
  async tenant(kind: CredentialKind): Promise<Tenant> {
    const { forge, ann: person } = this;
    forge.faults.clear();
    this.time.next();
    const number = ++this.#tenants;
    const owner = new Person(forge, await forge.createUser({ login: `acme-${number}` }));
    const repository = await forge.createRepository({ owner: owner.login, name: 'web' });
    await forge.grant({ owner: owner.login, name: 'web', login: person.login, role: 'write' });
    const access = kind === 'app' ? await this.#install(owner) : await this.#invite(owner, number);
    const { github, ...rest } = access;
    const provider = {
      kind: 'ScmProvider',
      metadata: { name: 'acme', namespace },
      spec: { github: { domain: forge.url, ...github } },
    };
    return { kind, repository, owner, person, provider, gitRepository: resourceOf(repository), ...rest };
  }

  /** The App is taken away from an owner. */
  async uninstall(installationId: number): Promise<void> {
    const { appId: id, privateKeyPem: privateKey, slug: login } = this.app;
    const now = Math.floor(this.time.forge.now() / 1000);
    const { token } = await githubAppJwt({ id, privateKey, now });
    const app = new Person(this.forge, { id, login, token });
    await app.ask('DELETE /app/installations/{installation_id}', { installation_id: installationId });
  }

  close(): Promise<void> {
    return this.forge.close();
  }

  async #install({ login: owner }: Person) {
    const { appId, privateKeyPem, slug } = this.app;
    const { installationId } = await this.forge.installApp({ appId, owner });
    const secret = { githubAppPrivateKey: privateKeyPem };
    return { github: { appID: appId }, login: `${slug}[bot]`, installationId, secret };
  }

  async #invite(owner: Person, number: number) {
    const { login, token } = await this.forge.createUser({ login: `promoter-${number}` });
    await this.forge.grant({ owner: owner.login, name: 'web', login, role: 'write' });
    return { github: {}, login, installationId: undefined, secret: { token } };
  }
}

/** @returns the GitRepository that names a repository of the forge. */
export function resourceOf({ owner, name }: { owner: string; name: string }): Resource {
  return { kind: 'GitRepository', metadata: { name, namespace }, spec: { github: { owner, name } } };
}
