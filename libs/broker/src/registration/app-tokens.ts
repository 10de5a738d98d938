import { isTyped, TypedError } from '@interlock/api';
import { isProblem, readRsaKey, waitFor, type Clock, type OrProblem } from '@interlock/base';
import githubAppJwt from 'universal-github-app-jwt';
import type { ServiceCaller } from '../governor/service-caller.js';
import type { HttpAnswer } from '../http/exchange.js';
import type { HostRules } from '../hosts.js';
import { Fields } from '../wire/fields.js';
import { serverTimeOf } from '../wire/headers.js';
import { parseJson } from '../wire/json.js';
import { isRefusal } from '../wire/refusal.js';
import type { AppCredential } from './app-credential.js';

interface AppTokensOptions {
  /** Reads the credential; called for each new token. */
  credential: (signal: AbortSignal) => Promise<OrProblem<AppCredential>>;
  apiUrl: string;
  caller: ServiceCaller;
  hosts: HostRules;
  clock: Clock;
}

/** Times are in milliseconds of the monotonic clock. */
interface Token {
  value: string;
  issuedAt: number;
  expiresAt: number;
}

const renewBeforeMs = 5 * 60_000;
const mintTimeoutMs = 30_000;
const documentedLifetimeMs = 60 * 60_000;
/** The difference of the clocks that is tolerated. */
const toleratedSkewMs = 5_000;
/** The pause after failed requests with the same credential. It doubles with each failure. */
const pause = { baseMs: 1_000, maxMs: 30_000 };

/** How often a token is replaced because calls with it are not permitted. */
const replaceEveryMs = 60_000;

/** A failed request, whose error all callers get during the pause after it. */
interface Failure {
  app: AppCredential;
  error: unknown;
  count: number;
  /** End of the pause, in milliseconds of the monotonic clock. */
  until: number;
}

/**
 * The installation tokens of the GitHub App: all callers share one request, and a token is replaced 5 minutes before it expires. After
 * a failure there is no request for a while, unless the credential has changed.
 */
export class AppTokens {
  readonly #options: AppTokensOptions;
  #token: Token | undefined;
  #minting: Promise<Token> | undefined;
  #failure: Failure | undefined;
  /** Milliseconds by which GitHub's clock is ahead of the local clock. */
  #skewMs = 0;
  /** Base URL of the endpoint. */
  #base: string;

  constructor(options: AppTokensOptions) {
    this.#options = options;
    this.#base = options.apiUrl;
  }

  /**
   * Returns a valid token; the current one while its successor is requested.
   *
   * @throws TypedError `Unauthorized` with the reason `CredentialUnavailable` when there is no usable credential
   */
  async get(signal: AbortSignal): Promise<string> {
    const now = this.#options.clock.monotonic();
    const token = this.#token;
    if (token === undefined || token.expiresAt <= now) return (await waitFor(this.#mint(), signal)).value;
    /* If the failure persists, it is reported when the old token has expired. */
    if (token.expiresAt - now <= renewBeforeMs) this.#mint().catch(() => undefined);
    return token.value;
  }

  /** Forgets a token that GitHub has refused. */
  invalidate(value: string): void {
    if (this.#token?.value === value) this.#token = undefined;
  }

  /**
   * Returns a token that was issued after `value`, which has the permissions of the time at which it was issued; undefined if that was
   * less than a minute ago.
   *
   * @throws TypedError
   */
  async successorOf(value: string, signal: AbortSignal): Promise<string | undefined> {
    const token = this.#token;
    if (token !== undefined && token.value !== value) return token.value;
    const ageMs = this.#options.clock.monotonic() - (token?.issuedAt ?? -Infinity);
    return ageMs < replaceEveryMs ? undefined : (await waitFor(this.#mint(), signal)).value;
  }

  #mint(): Promise<Token> {
    this.#minting ??= this.#request().finally(() => (this.#minting = undefined));
    return this.#minting;
  }

  /** Requests a token for all waiting callers, so the abort of one caller does not end the request; each call has a timeout. */
  async #request(): Promise<Token> {
    const { credential, clock } = this.#options;
    const app = await credential(AbortSignal.timeout(mintTimeoutMs));
    if (isProblem(app))
      throw new TypedError('Unauthorized', app.message, { reason: 'CredentialUnavailable' });
    const failure = isSame(this.#failure?.app, app) ? this.#failure : undefined;
    if (failure !== undefined && clock.monotonic() < failure.until) throw failure.error;
    try {
      this.#token = this.#read(await this.#exchange(app));
    } catch (error) {
      this.#failure = failureAfter(failure?.count ?? 0, app, error, clock.monotonic());
      throw error;
    }
    this.#failure = undefined;
    return this.#token;
  }

  #read({ body }: HttpAnswer): Token {
    const { clock } = this.#options;
    const what = 'the response to the request for an installation token';
    const fields = new Fields(parseJson(body, what));
    const value = fields.text('token');
    const statedMs = Date.parse(fields.text('expires_at') ?? '') - (clock.now() + this.#skewMs);
    /* A new token has not expired: a service that writes year 1 does not state when it expires. */
    const lifetimeMs = statedMs > 0 ? statedMs : documentedLifetimeMs;
    const issuedAt = clock.monotonic();
    if (value !== undefined) return { value, issuedAt, expiresAt: issuedAt + lifetimeMs };
    throw new TypedError('Transient', `${what} does not contain a token`);
  }

  /**
   * Exchanges a JWT for a token. GitHub refuses a JWT when the clocks differ; a second JWT is then made with the time of GitHub.
   */
  async #exchange(app: AppCredential): Promise<HttpAnswer> {
    const { apiUrl } = this.#options;
    try {
      return await this.#post(app, this.#base);
    } catch (error) {
      const again = this.#baseAfter(error);
      if (again === undefined) throw explained(error, app);
      const answer = await this.#post(app, again).catch((second: unknown) =>
        Promise.reject(explained(isRefusal(second) && again !== apiUrl ? error : second, app)),
      );
      this.#base = again;
      return answer;
    }
  }

  /**
   * Returns the base URL for a second attempt; undefined when there is none. Servers that replace GitHub have this endpoint at their
   * root, independent of the base of their API.
   */
  #baseAfter(error: unknown): string | undefined {
    if (!isRefusal(error)) return undefined;
    if (error.status === 401 && this.#learnSkew(error.serverTime)) return this.#base;
    const { origin } = new URL(this.#base);
    return error.status === 404 && origin !== this.#base ? origin : undefined;
  }

  async #post(app: AppCredential, base: string): Promise<HttpAnswer> {
    const { hosts, caller } = this.#options;
    const answer = await caller.call({
      endpoint: 'appToken',
      priority: 'session',
      what: `get a token of installation ${app.installationId}`,
      method: 'POST',
      url: hosts.checkApi(`${base}/app/installations/${app.installationId}/access_tokens`),
      token: await this.#sign(app),
      headers: { accept: 'application/vnd.github+json' },
      body: '{}',
      timeoutMs: mintTimeoutMs,
    });
    this.#learnSkew(serverTimeOf(answer.headers));
    return answer;
  }

  async #sign(app: AppCredential): Promise<string> {
    const now = Math.floor((this.#options.clock.now() + this.#skewMs) / 1000);
    try {
      const privateKey = readRsaKey(app.privateKey);
      if (privateKey !== undefined) return (await githubAppJwt({ id: app.appId, privateKey, now })).token;
    } catch {
      /* The errors of the library may quote the key, so they are not passed on. */
    }
    throw new TypedError(
      'Unauthorized',
      'key privateKey of the Secret of the GitHub App is not an RSA key in PEM of at most 4,096 bits',
      { reason: 'CredentialUnavailable' },
    );
  }

  #learnSkew(serverTime: number | undefined): boolean {
    if (serverTime === undefined) return false;
    const skewMs = serverTime - this.#options.clock.now();
    if (Math.abs(skewMs - this.#skewMs) < toleratedSkewMs) return false;
    this.#skewMs = skewMs;
    return true;
  }
}

/** Returns the error for a refusal of the App or its installation, with the reason that GitHub states. */
function explained(error: unknown, { appId, installationId }: AppCredential): unknown {
  if (!isRefusal(error) || !isTyped(error, 'Unauthorized', 'NotFound')) return error;
  return new TypedError(
    'Unauthorized',
    `${error.message}; GitHub does not accept App ${appId} with installation ${installationId}: correct the Secret, or the installation at GitHub`,
    { reason: 'CredentialUnavailable', cause: error },
  );
}

/**
 * Returns the failure of a request for a token, with the time of the next attempt; undefined for a refusal because of
 * the rate limit, after which the governor of the host delays the next attempt.
 */
function failureAfter(before: number, app: AppCredential, error: unknown, now: number): Failure | undefined {
  if (isTyped(error, 'RateLimited')) return undefined;
  const pauseMs = Math.min(pause.maxMs, pause.baseMs * 2 ** before);
  return { app, error, count: before + 1, until: now + pauseMs };
}

function isSame(one: AppCredential | undefined, other: AppCredential): boolean {
  return (
    one?.appId === other.appId &&
    one.installationId === other.installationId &&
    one.privateKey === other.privateKey
  );
}
