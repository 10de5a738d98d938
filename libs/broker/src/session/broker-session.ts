import { TypedError } from '@interlock/api';
import { delay, timeLimit, waitFor, type Clock, type Logger, type StopSignal } from '@interlock/base';
import type { BrokerMetrics } from '../governor/metrics.js';
import { release, type HttpAnswer } from '../http/exchange.js';
import type { HostRules } from '../hosts.js';
import type { RunnerToken } from '../token/runner-token.js';
import { absoluteUrl } from '../wire/absolute-url.js';
import { expandConfig, type CompactConfig } from '../wire/compact-config.js';
import { parseJitConfig } from '../wire/jit-config.js';
import { parseEnvelope, parseMessage, type BrokerMessage } from '../wire/message.js';
import { EmptyGuard, repeatBackoffMs } from './backoff.js';
import type { BrokerCalls, RunnerStatus } from './broker-calls.js';
import { decryptEnvelope, readSessionKey } from './cipher.js';
import { createSession } from './create-session.js';
import { countBlankAnswers, isEndOfSession, Recovery } from './recovery.js';

/** The result of a poll: a new job or cancellation, or nothing. */
export type Polled = Extract<BrokerMessage, { type: 'job' | 'cancellation' }> | { type: 'idle' };
/** A message that concerns only the session: it has been handled, and the service would repeat it. */
interface Handled {
  type: 'repeated';
}
type Migration = Extract<BrokerMessage, { type: 'migration' }>;

interface SessionOptions {
  runnerName: string;
  runnerId: string;
  config: CompactConfig;
  brokerUrl: string;
  token: RunnerToken;
  calls: BrokerCalls;
  hosts: HostRules;
  clock: Clock;
  random: () => number;
  log: Logger;
  metrics: BrokerMetrics;
  /** The id of a session that an earlier process may have left. */
  previousId?: string | undefined;
  /** Called when a session was created; resolves when its id is recorded. */
  onCreated: (sessionId: string) => Promise<void>;
  /** Called when a poll was answered. */
  onAnswer: () => void;
  /** Called when a call failed and is repeated. */
  onFailure: (error: unknown) => void;
}

const deleteTimeoutMs = 30_000;
const maxCancellations = 64;

/** The session of one runner at the broker: creates it, polls it, and creates it again when it expires. */
export class BrokerSession {
  readonly #options: SessionOptions;
  readonly #recovery: Recovery;
  readonly #guard = new EmptyGuard();
  #brokerUrl: string;
  #sessionId: string | undefined;
  /** The id of the session that the service may still have. */
  #previousId: string | undefined;
  #key: Buffer | undefined;
  #status: RunnerStatus = 'Online';
  #cancellations: readonly string[] = [];
  #lastRequestId: string | undefined;
  #blankAnswers = 0;
  /** Whether the latest message was the request of a move. */
  #hasMoved = false;
  /** When the next poll may start, in milliseconds of the monotonic clock. */
  #resumeAt = -Infinity;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#brokerUrl = options.brokerUrl;
    this.#previousId = options.previousId;
    this.#recovery = new Recovery(options.random);
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /**
   * Sets the status that polls report from the next poll on. A poll in progress continues: ending it may lose a job
   * (runner#4728).
   */
  setStatus(status: RunnerStatus): void {
    this.#status = status;
  }

  /**
   * Polls, and passes each result to `handle`, until that returns false or `signal` aborts. Transient failures are repeated with backoff;
   * an expired session is recreated. All polls are in one call of this function, because each function that waits for a held poll keeps
   * its state in memory.
   *
   * @throws TypedError when the runner or its session is unusable: `NotFound` (`RunnerNotFound`), `Unauthorized`,
   *   `Conflict` (`SessionConflict`), `Permanent` (`RunnerVersionTooOld`, `HostNotAllowed`); also the errors of `handle`
   */
  async receive(signal: StopSignal, handle: (polled: Polled) => boolean | Promise<boolean>): Promise<void> {
    const { runnerName, clock, token, calls } = this.#options;
    while (!signal.aborted) {
      const waitMs = this.#resumeAt - clock.monotonic();
      if (waitMs > 0) await delay(clock, waitMs, signal);
      if (this.#sessionId === undefined || token.current === undefined) await calls.turn();
      if (signal.aborted) return;
      /* A call that precedes the poll and is not answered is a failure, however long it took. */
      let startedAt = Infinity;
      let polled: Polled | Handled | undefined;
      try {
        const sessionId = this.#sessionId ?? (await this.#create(signal));
        const value = token.current ?? (await token.get(signal));
        const session = { brokerUrl: this.#brokerUrl, runnerName, token: value, sessionId };
        startedAt = clock.monotonic();
        const message = this.#take(await calls.poll(session, this.#status, signal), startedAt);
        polled = message.type === 'migration' ? await this.#migrate(message.brokerUrl, signal) : message;
        this.#recovery.succeeded();
      } catch (error) {
        if (!signal.aborted) polled = this.#recover(error, startedAt);
      }
      if (signal.aborted) return;
      const result = polled === undefined ? undefined : this.#paced(polled, startedAt);
      if (result === undefined) continue;
      const continues = handle(result);
      if (!(typeof continues === 'boolean' ? continues : await continues)) return;
    }
  }

  /** Acknowledges a delivery, once; a failure is ignored. */
  async acknowledge(requestId: string, signal: StopSignal): Promise<void> {
    const { runnerName, token, calls, log } = this.#options;
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return;
    try {
      const session = { brokerUrl: this.#brokerUrl, runnerName, token: await token.get(signal), sessionId };
      await calls.acknowledge(session, requestId, signal);
    } catch (error) {
      log.debug({ runner: runnerName, err: error }, 'the delivery was not acknowledged');
    }
  }

  /** Records that the service has ended the session. */
  forget(): void {
    this.#sessionId = undefined;
  }

  /** Deletes the session, within 30 s; a failure is ignored, because the session expires at the service. */
  async close(): Promise<void> {
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return;
    this.#sessionId = undefined;
    await this.#remove(sessionId);
  }

  /** Decides how to continue after a failure. @throws the error if the session is unusable */
  #recover(error: unknown, startedAt: number): Polled | undefined {
    const { clock, token, onFailure } = this.#options;
    const now = clock.monotonic();
    const step = this.#recovery.next(error, now - startedAt);
    if (step.type === 'fail') throw error;
    if (step.type === 'idle') return { type: 'idle' };
    /* GitHub may remove the runner of a claimed job: a refusal of its session does not concern the others. */
    const isRefused = step.forgetsToken === true || step.forgetsSession === true;
    if (!isRefused || this.#status !== 'Busy') onFailure(error);
    if (step.forgetsToken) token.reset();
    if (step.forgetsSession) this.#sessionId = undefined;
    this.#resumeAt = now + step.waitMs;
    return undefined;
  }

  /** Sets when the next poll starts. Returns the result of this poll; undefined if it is repeated. */
  #paced(polled: Polled | Handled, startedAt: number): Polled | undefined {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    if (polled.type === 'idle') {
      this.#resumeAt = now + this.#guard.empty(now - startedAt, now, random);
      return polled;
    }
    this.#guard.reset();
    const isRepeated = polled.type === 'repeated' || this.#isRepeatedOffer(polled);
    if (isRepeated) this.#resumeAt = now + repeatBackoffMs(random);
    return polled.type === 'repeated' ? undefined : polled;
  }

  /** Returns the message of an answer; `idle` if there is none. */
  #take(answer: HttpAnswer, startedAt: number): Polled | Handled | Migration {
    this.#options.onAnswer();
    const message = isNothing(answer) ? this.#nothing(answer, startedAt) : this.#read(answer);
    release(answer);
    if (message.type !== 'migration') this.#hasMoved = false;
    return message;
  }

  #nothing({ status }: HttpAnswer, startedAt: number): Polled {
    const tookMs = this.#options.clock.monotonic() - startedAt;
    this.#blankAnswers = countBlankAnswers(this.#blankAnswers, status, tookMs);
    if (!isEndOfSession(this.#blankAnswers)) return { type: 'idle' };
    throw new TypedError(
      'NotFound',
      `the session of runner ${this.#options.runnerName} returns only empty answers`,
      {
        reason: 'SessionExpired',
      },
    );
  }

  #read(answer: HttpAnswer): Polled | Handled | Migration {
    const { token, metrics, log, runnerName } = this.#options;
    this.#blankAnswers = 0;
    const message = parseMessage(decryptEnvelope(parseEnvelope(answer.body), this.#key), this.#brokerUrl);
    metrics.received(message.type);
    switch (message.type) {
      case 'job':
      case 'migration':
        return message;
      case 'cancellation':
        return this.#isNewCancellation(message.jobId) ? message : { type: 'repeated' };
      case 'tokenRefresh':
        token.reset();
        return { type: 'repeated' };
      case 'shutdown':
        throw new TypedError('NotFound', message.message, { reason: 'RunnerNotFound' });
      case 'other':
        log.info(
          { runner: runnerName, type: message.name },
          'ignored a message of the broker, because its type is not supported',
        );
        return { type: 'repeated' };
    }
  }

  async #create(signal: StopSignal): Promise<string> {
    const { onCreated, hosts, config } = this.#options;
    const previousId = this.#previousId;
    const fields = await createSession({ ...this.#options, brokerUrl: this.#brokerUrl, previousId }, signal);
    const sessionId = fields.text('sessionId');
    if (sessionId === undefined)
      throw new TypedError('Transient', 'the broker created a session without an id');
    const elsewhere = fields.text('brokerURL');
    if (elsewhere !== undefined)
      this.#brokerUrl = hosts.checkService(absoluteUrl(elsewhere, this.#brokerUrl)).href;
    this.#key = readSessionKey(fields, () => parseJitConfig(expandConfig(config)).key);
    this.#sessionId = sessionId;
    this.#previousId = sessionId;
    await onCreated(sessionId);
    return sessionId;
  }

  /** Switches to another broker. The old session is deleted first, because a runner has only one session. */
  async #migrate(brokerUrl: string, signal: StopSignal): Promise<Handled | undefined> {
    const { hosts, log, runnerName } = this.#options;
    try {
      const target = hosts.checkService(brokerUrl).href;
      if (target === this.#brokerUrl) return { type: 'repeated' };
      await waitFor(this.close(), signal);
      this.#brokerUrl = target;
      /* Brokers that name each other would move the session again and again, without a pause. */
      if (this.#hasMoved) return { type: 'repeated' };
      this.#hasMoved = true;
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      log.warn(
        { runner: runnerName, err: error },
        'the broker requested a move to a host that is not allowed',
      );
      return { type: 'repeated' };
    }
  }

  async #remove(sessionId: string): Promise<void> {
    const { runnerName, token, calls, log } = this.#options;
    const limit = timeLimit(deleteTimeoutMs);
    try {
      const session = { brokerUrl: this.#brokerUrl, runnerName, token: await token.get(limit), sessionId };
      await calls.remove(session, limit);
    } catch (error) {
      log.debug({ runner: runnerName, err: error }, 'the session was not deleted');
    }
  }

  #isRepeatedOffer(polled: Polled): boolean {
    if (polled.type !== 'job') return false;
    const isRepeated = this.#lastRequestId === polled.offer.requestId;
    this.#lastRequestId = polled.offer.requestId;
    return isRepeated;
  }

  #isNewCancellation(jobId: string): boolean {
    if (this.#cancellations.includes(jobId)) return false;
    /* The array of `concat` has as many places as it needs; `push` would reserve 17 in each session. */
    this.#cancellations = this.#cancellations.slice(1 - maxCancellations).concat(jobId);
    return true;
  }
}

/** Bodies without content. */
const emptyBodies = new Set(['', 'null', '{}']);

/** Returns whether the answer to a poll has no message: by its status, or because its body has no content. */
function isNothing({ status, body }: HttpAnswer): boolean {
  if (status === 202 || status === 204) return true;
  return body.length <= 16 && emptyBodies.has(body.toString('utf8').trim());
}
