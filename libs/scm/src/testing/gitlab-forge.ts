import type { FakeClock } from '@interlock/base/testing';
import { startForge, type Forge, type RepositoryHandle } from '@interlock/forge';
import { ForgeTime } from './forge-time.js';
import { GitlabPerson } from './gitlab-person.js';

/** A project that nobody else uses, and the plugin's token for it. */
export interface GitlabTenant {
  readonly repository: RepositoryHandle;
  /** Maintains the project. */
  readonly owner: GitlabPerson;
  /** May write to the project. */
  readonly person: GitlabPerson;
  /** Under which the forge records what the plugin does. */
  readonly login: string;
  readonly provider: Resource;
  readonly secret: Readonly<Record<string, string>>;
  readonly gitRepository: Resource;
}

interface Resource {
  kind: string;
  metadata: { name: string; namespace: string };
  spec: { gitlab: Record<string, unknown> };
}

const namespace = 'team';

/** A local forge that speaks GitLab's API, for all tests of a file; each test has a {@link GitlabTenant} of its own. */
export class GitlabForge {
  #tenants = 0;

  private constructor(
    readonly forge: Forge,
    readonly ann: GitlabPerson,
    private readonly time: ForgeTime,
  ) {}

  static async start(): Promise<GitlabForge> {
    const time = new ForgeTime();
    const forge = await startForge({ clock: time.forge });
    const ann = new GitlabPerson(forge, await forge.createUser({ login: 'ann' }));
    return new GitlabForge(forge, ann, time);
  }

  get clock(): FakeClock {
    return this.time.clock;
  }

  /** Begins a test: a new group with a subgroup, and in it a new, empty project. */
  async tenant(): Promise<GitlabTenant> {
    const { forge, ann: person } = this;
    forge.faults.clear();
    this.time.next();
    const number = ++this.#tenants;
    const group = `acme-${number}/platform`;
    const repository = await forge.createRepository({ owner: group, name: 'web' });
    const grant = (login: string, role: 'write' | 'admin'): Promise<void> =>
      forge.grant({ owner: group, name: 'web', login, role });
    const owner = new GitlabPerson(forge, await forge.createUser({ login: `owner-${number}` }));
    const { login, token } = await forge.createUser({ login: `promoter-${number}` });
    await grant(owner.login, 'admin');
    await grant(person.login, 'write');
    await grant(login, 'write');
    const provider = {
      kind: 'ScmProvider',
      metadata: { name: 'acme', namespace },
      spec: { gitlab: { domain: forge.url } },
    };
    return {
      repository,
      owner,
      person,
      login,
      provider,
      secret: { token },
      gitRepository: projectOf(repository),
    };
  }

  close(): Promise<void> {
    return this.forge.close();
  }
}

/** @returns the GitRepository that names a project of the forge. */
export function projectOf({ owner, name }: { owner: string; name: string }): Resource {
  return {
    kind: 'GitRepository',
    metadata: { name, namespace },
    spec: { gitlab: { namespace: owner, name } },
  };
}
