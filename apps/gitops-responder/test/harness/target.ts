import type { ResponseProvider, ResponseRoute } from '@interlock/api';
import type { RepositoryHandle, ForgeUser, ShownPullRequest } from '@interlock/forge';
import { commitFiles, type ForgeAccount, type LocalRepository, type ScmName } from '@interlock/stack';

interface Parts {
  number: number;
  scm: ScmName;
  forgeUrl: string;
  account: ForgeAccount;
  repository: RepositoryHandle;
  user: ForgeUser;
}

/** A repository of one test, and the fields by which a route names it. */
export class Target {
  readonly #parts: Parts;
  readonly #clock: { now(): number };

  constructor(
    parts: Parts,
    readonly local: LocalRepository,
    clock: { now(): number },
  ) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** The condition of the route of the test. */
  get actionRef(): string {
    return `action-${this.#parts.number}`;
  }

  get fullName(): string {
    return this.#parts.repository.fullName;
  }

  get user(): ForgeUser {
    return this.#parts.user;
  }

  /** The login under which the forge records the actions of the responder. */
  get login(): string {
    return this.#parts.account.login;
  }

  get secretName(): string {
    return `credential-${this.#parts.number}`;
  }

  /** The data of the Secret, with the documented keys. */
  get secret(): Record<string, string> {
    const { provider, secret } = this.#parts.account.access;
    const { appID, installationID } = provider;
    if (appID === undefined) return secret;
    return {
      'app-id': String(appID),
      'installation-id': String(installationID),
      'private-key.pem': secret['githubAppPrivateKey'] ?? '',
    };
  }

  get provider(): ResponseProvider {
    const { scm, forgeUrl, repository } = this.#parts;
    const common = { host: forgeUrl, repository: repository.fullName, baseBranch: 'main' };
    const ref = { name: this.secretName };
    if (scm === 'github') return { kind: 'github-app', ...common, appCredentialsRef: ref };
    return { kind: scm === 'gitlab' ? 'gitlab' : 'gitea', ...common, credentialsRef: ref };
  }

  /** Returns a route to this repository. */
  route(rest: Partial<ResponseRoute> = {}): ResponseRoute {
    return { match: { actionRef: this.actionRef }, provider: this.provider, ...rest };
  }

  /** Puts a commit with exactly these files on a branch. Returns the commit. */
  commit(branch: string, files: Record<string, string>): Promise<string> {
    return commitFiles(this.local, {
      branch,
      message: `change of ${branch}`,
      files: new Map(Object.entries(files)),
      time: this.#clock.now(),
    });
  }

  pulls(): Promise<ShownPullRequest[]> {
    return this.user.pulls(this.fullName);
  }

  /** Returns all branches except `main`. */
  async branches(): Promise<string[]> {
    const all = await this.local.lines(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
    return all.filter((branch) => branch !== 'main' && branch !== '');
  }

  /** Returns the text of a file at a commit or branch, to its last byte; undefined when it does not exist. */
  async file(revision: string, path: string): Promise<string | undefined> {
    const answer = await this.local.git(['cat-file', '--batch'], { input: `${revision}:${path}\n` });
    const [header = ''] = answer.split('\n', 1);
    return header.endsWith(' missing') ? undefined : answer.slice(header.length + 1);
  }
}
