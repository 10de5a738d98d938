import { TypedError, isTyped } from '@interlock/api';
import { waitFor } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import type { CallOptions } from '../call-options.js';
import { RefusalError, serverTime } from '../http/errors.js';
import type { ScmCaller } from '../metrics.js';
import type { ScmContext } from '../scm.js';
import type { AppKey } from './account.js';
import { signAppToken } from './app-key.js';
import {
  githubLimits,
  type AuthorizationRefusal,
  type GithubAuthorization,
  type GithubCredential,
  type GithubRepositoryName,
  type Purpose,
} from './credential.js';
import { grantedOf, permissionsFor, samePermissions, type Permissions } from './permissions.js';
import type { Authorization, Data, GithubTransport, Parameters, Route } from './transport.js';

/** Times are of the monotonic clock, in milliseconds. */
interface Token {
  value: string;
  installation: number;
  permissions: Permissions;
  mintedAt: number;
  expiresAt: number;
}

/** Tokens expire after an hour; git may still use one for a while after it was returned. */
const renewBeforeMs = 10 * 60_000;
/* With `max`, each App would allocate the space of all its installations at once, 24 KiB for each cache. */
const atMostInstallations = { maxSize: 1000, sizeCalculation: () => 1 };
const maxTokens = 10_000;
/** How long the granted permissions of an installation are cached; its owner may grant more at any time. */
const grantsMs = 60 * 60_000;
/** How long a token that lacks permissions is used although calls are refused. */
const refusedMs = 60_000;

/** The needed permissions that an installation was granted. */
interface Grants {
  permissions: Permissions;
  /** Milliseconds of the monotonic clock. */
  readAt: number;
}

/**
 * A GitHub App. Finds the installation of a repository's owner, and keeps one token for each repository. The token is
 * limited to that repository and to the permissions that the process needs. Concurrent callers that need the same token
 * share one request.
 */
export class AppCredential implements GithubCredential {
  readonly appId: number | undefined;
  /** Tokens by {@link tokenKey}. */
  readonly #tokens = new LRUCache<string, Token>({ maxSize: maxTokens, sizeCalculation: () => 1 });
  readonly #grants = new LRUCache<number, Grants>(atMostInstallations);
  readonly #installations = new LRUCache<string, number>(atMostInstallations);
  readonly #pending = new Map<string, Promise<unknown>>();
  /** Milliseconds by which GitHub's clock is ahead of the local clock. */
  #skew = 0;
  #login: string | undefined;

  constructor(
    readonly id: string,
    readonly key: AppKey,
    readonly context: ScmContext,
  ) {
    this.appId = typeof key.appId === 'number' ? key.appId : undefined;
  }

  async authorize(transport: GithubTransport, purpose: Purpose): Promise<GithubAuthorization> {
    const installation = this.key.installationId ?? (await this.#discover(transport, purpose));
    try {
      return await this.#authorizeAs(installation, transport, purpose);
    } catch (error) {
      const gone = isTyped(error, 'NotFound', 'Unauthorized') && this.key.installationId === undefined;
      if (!gone || !this.#forget(purpose.repository, installation)) throw error;
      return this.#authorizeAs(await this.#discover(transport, purpose), transport, purpose);
    }
  }

  renew(authorization: GithubAuthorization, refusal: AuthorizationRefusal): boolean {
    for (const [key, token] of this.#tokens) {
      if (token.value !== authorization.token) continue;
      if (refusal === 'Forbidden' && !this.#mayHaveMore(token)) return false;
      this.#grants.delete(token.installation);
      return this.#tokens.delete(key);
    }
    return true;
  }

  async login(transport: GithubTransport, caller: ScmCaller, options: CallOptions = {}): Promise<string> {
    if (this.#login !== undefined) return this.#login;
    const app = await this.#send(transport, 'GET /app', {}, 'identify', caller, options);
    if (app === null || app.slug === undefined) {
      throw new TypedError('Transient', `the App ${this.key.appId} was returned without its slug`);
    }
    this.#login = `${app.slug}[bot]`;
    return this.#login;
  }

  /** Returns whether the owner of the installation may have granted permissions that the token lacks. */
  #mayHaveMore({ permissions, mintedAt }: Token): boolean {
    const isComplete = samePermissions(permissions, permissionsFor(this.context.uses));
    return !isComplete && this.context.clock.monotonic() - mintedAt > refusedMs;
  }

  async #authorizeAs(
    installation: number,
    transport: GithubTransport,
    purpose: Purpose,
  ): Promise<GithubAuthorization> {
    const token = await this.#token(installation, transport, purpose);
    const id = `${this.id}/${installation}`;
    const governor = this.context.governor(id, githubLimits);
    return { id, token, header: `Bearer ${token}`, governor };
  }

  async #token(installation: number, transport: GithubTransport, purpose: Purpose): Promise<string> {
    const now = this.context.clock.monotonic();
    const key = tokenKey(installation, purpose.repository);
    const known = this.#tokens.get(key);
    if (known !== undefined && known.expiresAt - now > renewBeforeMs) return known.value;
    try {
      return await this.#once(`token ${key}`, purpose.signal, () =>
        this.#mint(installation, transport, purpose),
      );
    } catch (error) {
      const stillGood = known !== undefined && known.expiresAt > this.context.clock.monotonic();
      if (stillGood && isTyped(error, 'Transient', 'RateLimited')) return known.value;
      throw error;
    }
  }

  /**
   * Requests a token. GitHub refuses a token with a permission that the installation lacks; a token with the granted
   * permissions is then requested.
   */
  async #mint(installation: number, transport: GithubTransport, purpose: Purpose): Promise<string> {
    const known = this.#grantsOf(installation);
    try {
      return await this.#mintWith(
        known ?? permissionsFor(this.context.uses),
        installation,
        transport,
        purpose,
      );
    } catch (error) {
      if (!isTyped(error, 'Invalid')) throw error;
      const granted = await this.#readGrants(installation, transport, purpose.caller);
      const unchanged = samePermissions(granted, known ?? permissionsFor(this.context.uses));
      if (unchanged) throw this.#noAccess(installation, purpose.repository, error);
      return this.#mintWith(granted, installation, transport, purpose);
    }
  }

  async #mintWith(
    permissions: Permissions,
    installation: number,
    transport: GithubTransport,
    { repository, caller }: Purpose,
  ): Promise<string> {
    const route = 'POST /app/installations/{installation_id}/access_tokens';
    const parameters = { installation_id: installation, repositories: [repository.name], permissions };
    const minted = await this.#send(transport, route, parameters, 'token', caller);
    const lifetime = Date.parse(minted.expires_at) - (this.context.clock.now() + this.#skew);
    const mintedAt = this.context.clock.monotonic();
    const expiresAt = mintedAt + lifetime;
    if (minted.token === '' || !Number.isFinite(expiresAt)) {
      throw new TypedError(
        'Transient',
        `the token of installation ${installation} was returned without its expiry`,
      );
    }
    const token = { value: minted.token, installation, permissions, mintedAt, expiresAt };
    this.#tokens.set(tokenKey(installation, repository), token);
    return minted.token;
  }

  #grantsOf(installation: number): Permissions | undefined {
    const known = this.#grants.get(installation);
    if (known === undefined || this.context.clock.monotonic() - known.readAt > grantsMs) return undefined;
    return known.permissions;
  }

  async #readGrants(
    installation: number,
    transport: GithubTransport,
    caller: ScmCaller,
  ): Promise<Permissions> {
    const route = 'GET /app/installations/{installation_id}';
    const parameters = { installation_id: installation };
    const { permissions } = await this.#send(transport, route, parameters, 'installation', caller);
    return this.#keepGrants(installation, permissions);
  }

  #keepGrants(installation: number, granted: object): Permissions {
    const all = permissionsFor(this.context.uses);
    const permissions = grantedOf(all, Object.fromEntries(Object.entries(granted)));
    this.#grants.set(installation, { permissions, readAt: this.context.clock.monotonic() });
    return permissions;
  }

  #noAccess(installation: number, { owner, name }: GithubRepositoryName, cause: unknown): TypedError {
    return new TypedError(
      'NotFound',
      `installation ${installation} of the GitHub App ${this.key.appId} has no access to ${owner}/${name}; correct the repository in the GitRepository, or grant the installation access to it`,
      { cause },
    );
  }

  /** Finds the installation for an owner, through any of the owner's repositories. */
  async #discover(transport: GithubTransport, { repository, caller, signal }: Purpose): Promise<number> {
    const owner = repository.owner.toLowerCase();
    const known = this.#installations.get(owner);
    if (known !== undefined) return known;
    return this.#once(`installation ${owner}`, signal, async () => {
      const route = 'GET /repos/{owner}/{repo}/installation';
      const parameters = { owner: repository.owner, repo: repository.name };
      const { id, permissions } = await this.#send(transport, route, parameters, 'installation', caller);
      this.#installations.set(owner, id);
      this.#keepGrants(id, permissions);
      return id;
    });
  }

  /** Forgets the installation of an owner. Returns whether it was the cached one, so that another may be found. */
  #forget(repository: GithubRepositoryName, installation: number): boolean {
    const owner = repository.owner.toLowerCase();
    this.#tokens.delete(tokenKey(installation, repository));
    return this.#installations.get(owner) === installation && this.#installations.delete(owner);
  }

  /** Runs `work` once for all concurrent callers. The abort of a caller does not end it: it is bounded by its timeout. */
  #once<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const running = this.#pending.get(key) as Promise<T> | undefined;
    const pending = running ?? work().finally(() => this.#pending.delete(key));
    if (running === undefined) this.#pending.set(key, pending);
    return waitFor(pending, signal);
  }

  /**
   * Sends a request as the App itself. When GitHub's clock differs from the local clock, the token is signed again with
   * GitHub's time.
   */
  async #send<R extends Route>(
    transport: GithubTransport,
    route: R,
    parameters: Parameters<R>,
    operation: string,
    caller: ScmCaller,
    options: CallOptions = {},
  ): Promise<Data<R>> {
    const attempt = async (): Promise<Data<R>> => {
      const what = `${operation} of the GitHub App ${this.key.appId}`;
      const { priority = 'critical', signal } = options;
      const exchange = { api: 'Auth', operation, what, caller, priority, signal };
      const answer = await transport.send(await this.#authorization(), route, parameters, exchange);
      if (answer.unchanged) throw new RangeError('an unconditional request was answered as unchanged');
      const now = this.context.clock.now();
      this.#skew = serverTime(answer.headers, now) - now;
      return answer.data;
    };
    try {
      return await attempt();
    } catch (error) {
      if (!this.#learnsSkew(error)) throw error;
      return attempt();
    }
  }

  #learnsSkew(error: unknown): boolean {
    if (!(error instanceof RefusalError) || error.status !== 401) return false;
    const skew = error.serverTime - this.context.clock.now();
    if (Math.abs(skew - this.#skew) < 5_000) return false;
    this.#skew = skew;
    return true;
  }

  async #authorization(): Promise<Authorization> {
    const now = Math.floor((this.context.clock.now() + this.#skew) / 1000);
    const governor = this.context.governor(this.id, githubLimits);
    return { header: `Bearer ${await signAppToken(this.key, now)}`, governor };
  }
}

/** Returns the key of a token. Names of repositories are compared ignoring case. */
function tokenKey(installation: number, { name }: GithubRepositoryName): string {
  return `${installation} ${name.toLowerCase()}`;
}
