import { createHash } from 'node:crypto';
import { Gate } from '@interlock/api';
import type { Client } from '@interlock/kube';
import { LRUCache } from 'lru-cache';
import { reviewAccess, type ReviewedUser } from '../access-review.js';

/**
 * `unauthenticated`: the token is not valid. `forbidden`: its owner lacks the permission. `busy`: there are too many concurrent
 * requests.
 */
type Access = 'allowed' | 'unauthenticated' | 'forbidden' | 'busy';

/**
 * How long an answer of the API server is cached, and so for how long a revoked token or permission remains in effect.
 */
const ttlMs = 10_000;
const maxAnswers = 1_000;
/** Maximum number of concurrent requests to the API server, so that a client with random tokens cannot overload it. */
const maxInFlight = 16;
/** The part of them for tokens that were never accepted, so that they cannot keep out the clients that read gates regularly. */
const maxUnknown = 8;

/**
 * Asks the API server whether the owner of a token may `get` a Gate, by TokenReview and SubjectAccessReview. The
 * answers are cached for some seconds. Tokens themselves are not stored, only their SHA-256.
 */
export class GateAccess {
  readonly #users: LRUCache<string, { user: ReviewedUser }>;
  readonly #refused: LRUCache<string, { user: undefined }>;
  /** The tokens that were accepted last. */
  readonly #accepted = new LRUCache<string, true>({ max: maxAnswers });
  readonly #rights: LRUCache<string, { allowed: boolean }>;
  #inFlight = 0;

  readonly #client: Pick<Client, 'raw'>;

  constructor(client: Pick<Client, 'raw'>, now: () => number) {
    this.#client = client;

    const options = { max: maxAnswers, ttl: ttlMs, ttlResolution: 0, perf: { now } };
    this.#users = new LRUCache(options);
    this.#refused = new LRUCache(options);
    this.#rights = new LRUCache(options);
  }

  /**
   * Returns the access of the owner of a token.
   *
   * @throws TypedError when the request to the API server fails
   */
  async check(token: string, namespace: string, name: string, signal: AbortSignal): Promise<Access> {
    const id = createHash('sha256').update(token).digest('base64');
    /* The owner comes first: a cached permission must not outlast the token. */
    const holder = await this.#holderOf(token, id, signal);
    if (holder === 'busy') return holder;
    const { user } = holder;
    if (user === undefined) return 'unauthenticated';
    const right = `${id} ${namespace}/${name}`;
    const known = this.#rights.get(right);
    if (known !== undefined) return known.allowed ? 'allowed' : 'forbidden';
    const answer = await this.#ask(maxInFlight, () => this.#reviewAccess(user, namespace, name, signal));
    if (answer === 'busy') return answer;
    this.#rights.set(right, answer);
    return answer.allowed ? 'allowed' : 'forbidden';
  }

  async #holderOf(token: string, id: string, signal: AbortSignal) {
    const known = this.#users.get(id) ?? this.#refused.get(id);
    if (known !== undefined) return known;
    const max = this.#accepted.get(id) === undefined ? maxUnknown : maxInFlight;
    const holder = await this.#ask(max, () => this.#reviewToken(token, signal));
    if (holder === 'busy') return holder;
    const { user } = holder;
    if (user === undefined) {
      this.#refused.set(id, { user });
      return { user };
    }
    this.#accepted.set(id, true);
    this.#users.set(id, { user });
    return { user };
  }

  async #ask<T>(max: number, question: () => Promise<T>): Promise<T | 'busy'> {
    if (this.#inFlight >= max) return 'busy';
    this.#inFlight += 1;
    try {
      return await question();
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #reviewToken(token: string, signal: AbortSignal): Promise<{ user: ReviewedUser | undefined }> {
    interface TokenReview {
      status?: { authenticated?: boolean; user?: ReviewedUser };
    }
    const { status } = await this.#create<TokenReview>(
      'authentication.k8s.io',
      'TokenReview',
      { token },
      signal,
    );
    return { user: status?.authenticated === true ? (status.user ?? {}) : undefined };
  }

  async #reviewAccess(
    user: ReviewedUser,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<{ allowed: boolean }> {
    const { group, version, plural } = Gate;
    const attributes = { namespace, name, verb: 'get', group, version, resource: plural };
    return { allowed: await reviewAccess(this.#client, user, attributes, signal) };
  }

  #create<T>(group: string, kind: string, spec: object, signal: AbortSignal): Promise<T> {
    const apiVersion = `${group}/v1`;
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
    const body = { apiVersion, kind, spec };
    return this.#client.raw<T>({ method: 'POST', path, body, isIdempotent: true }, { signal });
  }
}
