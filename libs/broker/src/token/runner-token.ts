import { isTyped, TypedError } from '@interlock/api';
import { sleep, waitFor, type Clock, type StopSignal } from '@interlock/base';
import type { ServiceCaller } from '../governor/service-caller.js';
import type { HostRules } from '../hosts.js';
import { Fields } from '../wire/fields.js';
import { expandConfig, type CompactConfig } from '../wire/compact-config.js';
import { parseJitConfig } from '../wire/jit-config.js';
import { parseJson } from '../wire/json.js';
import { isRefusal, Refusal } from '../wire/refusal.js';
import { signAssertion } from './assertion.js';

interface RunnerTokenOptions {
  name: string;
  /** The config is parsed again at each exchange, because a parsed key needs more memory. */
  config: CompactConfig;
  /** Whether the runner is newly registered, so that the token service may not know it yet. */
  isFresh: boolean;
  caller: ServiceCaller;
  hosts: HostRules;
  clock: Clock;
  random: () => number;
}

const refreshShare = 0.8;
const defaultLifetimeMs = 3_000_000;
const propagation = { attempts: 6, waitMs: 2_000 };
const skew = { waitMs: 30_000, maxMs: 30 * 60_000 };
const retries = { attempts: 5, waitMs: 1_000 };

interface Token {
  value: string;
  refreshAt: number;
  expiresAt: number;
}

/** The OAuth token of one runner: all callers share one exchange, and the token is replaced at 80 % of its lifetime. */
export class RunnerToken {
  readonly #options: RunnerTokenOptions;
  #isFresh: boolean;
  #skewMs = 0;
  #token: Token | undefined;
  #exchanging: Promise<Token> | undefined;

  constructor(options: RunnerTokenOptions) {
    this.#options = options;
    this.#isFresh = options.isFresh;
  }

  /** The token, if it need not be replaced. */
  get current(): string | undefined {
    const token = this.#token;
    if (token === undefined || this.#options.clock.monotonic() >= token.refreshAt) return undefined;
    return token.value;
  }

  /**
   * Returns a valid token.
   *
   * @throws Refusal `Unauthorized` with the reason `InvalidClient` when the runner is no longer registered
   */
  async get(signal: StopSignal): Promise<string> {
    const token = this.#token;
    const now = this.#options.clock.monotonic();
    if (token !== undefined && now < token.refreshAt) return token.value;
    this.#exchanging ??= this.#exchange(signal).finally(() => (this.#exchanging = undefined));
    try {
      return (await waitFor(this.#exchanging, signal)).value;
    } catch (error) {
      /* The shared exchange ended with the abort of another caller. */
      if (!isTyped(error) && !signal.aborted) return this.get(signal);
      const isUsable = token !== undefined && this.#token === token && now < token.expiresAt;
      if (isUsable && !signal.aborted && isTyped(error, 'Transient', 'RateLimited')) return token.value;
      throw error;
    }
  }

  /** Forgets a token that a service has refused. */
  invalidate(value: string): void {
    if (this.#token?.value === value) this.#token = undefined;
  }

  /** Forgets the token, because the service requests another one. */
  reset(): void {
    this.#token = undefined;
  }

  /** Exchanges a token. The callers of one runner end together, so the abort of the first may end the exchange of all. */
  async #exchange(signal: StopSignal): Promise<Token> {
    const { clock, random } = this.#options;
    const startedAt = clock.monotonic();
    for (let failures = 1; ; failures++) {
      try {
        return await this.#request(signal);
      } catch (error) {
        const waitMs = this.#waitAfter(error, failures, clock.monotonic() - startedAt);
        if (waitMs === undefined || signal.aborted) throw error;
        await sleep(clock, waitMs * (0.75 + random() / 2), signal);
      }
    }
  }

  /** Returns the milliseconds until the next attempt; undefined when there is none. */
  #waitAfter(error: unknown, failures: number, elapsedMs: number): number | undefined {
    if (isRefusal(error, 'ClockSkew')) {
      /* The date of the answer corrects the local clock, so that the second attempt may succeed at once. */
      if (failures === 1 && error.serverTime !== undefined) return 0;
      return elapsedMs < skew.maxMs ? skew.waitMs : undefined;
    }
    if (isRefusal(error, 'InvalidClient')) {
      const mayAppear = this.#isFresh && error.message.toLowerCase().includes('was not found');
      return mayAppear && failures <= propagation.attempts ? propagation.waitMs : undefined;
    }
    if (!isTyped(error, 'Transient') || failures >= retries.attempts) return undefined;
    return error.retryAfterMs ?? retries.waitMs * 2 ** (failures - 1);
  }

  async #request(signal: StopSignal): Promise<Token> {
    const { name, caller, hosts, clock } = this.#options;
    const config = parseJitConfig(expandConfig(this.#options.config));
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: signAssertion(config, clock.now() + this.#skewMs),
    });
    try {
      const { body } = await caller.call(
        {
          endpoint: 'runnerToken',
          priority: 'session',
          what: `get the token of runner ${name}`,
          method: 'POST',
          url: hosts.checkService(config.authorizationUrl),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: form.toString(),
        },
        signal,
      );
      return this.#keep(body);
    } catch (error) {
      if (error instanceof Refusal && error.serverTime !== undefined && error.reason === 'ClockSkew') {
        this.#skewMs = error.serverTime - clock.now();
      }
      throw error;
    }
  }

  #keep(body: Buffer): Token {
    const { name, clock } = this.#options;
    const what = `the response to the request for the token of runner ${name}`;
    const fields = new Fields(parseJson(body, what));
    const value = fields.text('access_token');
    if (value === undefined) throw new TypedError('Transient', `${what} does not contain a token`);
    const seconds = fields.number('expires_in') ?? 0;
    const lifetimeMs = seconds > 0 ? seconds * 1000 : defaultLifetimeMs;
    const now = clock.monotonic();
    this.#isFresh = false;
    this.#token = { value, refreshAt: now + lifetimeMs * refreshShare, expiresAt: now + lifetimeMs };
    return this.#token;
  }
}
