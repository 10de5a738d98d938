import { generateKeyPairSync } from 'node:crypto';
import { jitConfigOf } from './jit-config.js';
import { runnerOfPoll, sessionOf, token } from './poll.js';
import { sharedNow } from './protocols.js';

interface ServiceRequest {
  method: string;
  /** The path, with its query. */
  path: string;
  body: string;
}

export interface ServiceAnswer {
  status: number;
  /** The body in JSON; empty if there is none. */
  body: string;
}

/** Sends an answer. It does nothing if the connection is closed. */
type Respond = (answer: ServiceAnswer) => void;

export interface HoldOptions {
  /**
   * Milliseconds after which a poll is answered, evenly distributed; if undefined, it is held until an answer is
   * requested.
   */
  holdMs?: { least: number; most: number } | undefined;
  /** The share of those answers that contain a message, which does not concern a job; the others are empty. */
  messageShare?: number | undefined;
}

/** First number of the runners that the service registers itself. */
const firstRegistered = 1_000_000;
const tokenSeconds = 50 * 60;
const nothing: ServiceAnswer = { status: 202, body: '' };

/**
 * The part of the Actions service that clients of the benchmark call. Unlike tools/actions-service, it checks and
 * records nothing, so that answers are cheap and the figures measure only the clients.
 */
export class AnsweringService {
  readonly #url: string;
  readonly #options: HoldOptions;
  readonly #held = new Map<number, Respond>();
  readonly #jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  readonly #runners = new Set<number>();
  #registered = 0;
  #polls = 0;

  constructor(url: string, options: HoldOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Number of polls that wait for an answer. */
  get held(): number {
    return this.#held.size;
  }

  /** Number of runners that have polled so far. */
  get runners(): number {
    return this.#runners.size;
  }

  /** Number of polls so far. */
  get polls(): number {
    return this.#polls;
  }

  handle(request: ServiceRequest, respond: Respond): void {
    const { method, path } = request;
    if (method === 'GET' && path.startsWith('/message?')) this.#hold(runnerOfPoll(path), respond);
    else if (method === 'DELETE') respond({ status: 204, body: '' });
    else if (path === '/token') respond(json(200, { access_token: token, expires_in: tokenSeconds }));
    else if (path === '/session') respond(json(201, { sessionId: sessionOf(this.#runnerOf(request)) }));
    else if (path.endsWith('/generate-jitconfig')) respond(json(201, this.#register(request)));
    else if (path.endsWith('/access_tokens'))
      respond(json(201, { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() }));
    else respond({ status: 404, body: '{}' });
  }

  /** Answers the poll of a runner with the cancellation of its job. Returns the time, in nanoseconds. @throws Error without a poll */
  cancel(runner: number): number {
    const respond = this.#held.get(runner);
    if (respond === undefined) throw new Error(`runner ${runner} does not poll`);
    this.#held.delete(runner);
    const body = JSON.stringify({ jobId: `job-${runner}`, timeout: '00:05:00' });
    const answer = message('JobCancellation', body);
    const at = sharedNow();
    respond(answer);
    return at;
  }

  #hold(runner: number, respond: Respond): void {
    this.#polls += 1;
    this.#runners.add(runner);
    this.#held.set(runner, respond);
    const { holdMs, messageShare = 0 } = this.#options;
    if (holdMs === undefined) return;
    const ms = holdMs.least + Math.random() * (holdMs.most - holdMs.least);
    setTimeout(() => {
      if (this.#held.get(runner) !== respond) return;
      this.#held.delete(runner);
      respond(Math.random() < messageShare ? message('BenchmarkNotice', '{}') : nothing);
    }, ms);
  }

  #register({ body }: ServiceRequest): object {
    const runner = firstRegistered + this.#registered++;
    const { name } = JSON.parse(body) as { name: string };
    const encoded = jitConfigOf(this.#jwk, { runner, name, url: this.#url });
    return { runner: { id: runner, name }, encoded_jit_config: encoded };
  }

  #runnerOf({ body }: ServiceRequest): number {
    const { agent } = JSON.parse(body) as { agent: { id: number } };
    return agent.id >= firstRegistered ? agent.id : agent.id - 1;
  }
}

function message(messageType: string, body: string): ServiceAnswer {
  return json(200, { messageId: 4_611_686_018_427_387, messageType, body });
}

function json(status: number, value: object): ServiceAnswer {
  return { status, body: JSON.stringify(value) };
}
