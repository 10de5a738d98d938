import type { StopSignal } from '@interlock/base';
import type { Dialect } from '../dialect.js';
import type { ServiceCall } from '../governor/pending-call.js';
import type { ServiceCaller } from '../governor/service-caller.js';
import type { CallUrl, HttpAnswer } from '../http/exchange.js';
import type { HostRules } from '../hosts.js';
import { Fields } from '../wire/fields.js';
import { parseJson } from '../wire/json.js';

/** The properties of a runner that it reports. */
export interface RunnerDescription {
  /** Version of the runner in the worker image; GitHub refuses old ones. */
  version: string;
  os: 'Linux' | 'macOS' | 'Windows';
  architecture: 'X64' | 'ARM64' | 'ARM' | 'X86';
}

interface BrokerCallsOptions {
  caller: ServiceCaller;
  hosts: HostRules;
  dialect: Dialect;
  runner: RunnerDescription;
  /** The name of this process at the service. */
  ownerName: string;
  /** The timeout of a poll in milliseconds; longer than the service holds a poll. */
  pollTimeoutMs: number;
}

/** The runner and the session that a call is for. */
interface SessionReference {
  brokerUrl: string;
  runnerName: string;
  token: string;
  sessionId: string;
}

type CallSession = Pick<SessionReference, 'brokerUrl' | 'token'> & { sessionId?: string | undefined };
/** A call whose URL is relative to that of the broker. */
type BrokerCall = Omit<ServiceCall, 'url'> & { path: string; search?: string };

export type RunnerStatus = 'Online' | 'Busy';

const zeroId = '00000000-0000-0000-0000-000000000000';
const sessionTimeoutMs = 30_000;
const acknowledgeTimeoutMs = 5_000;

/** The calls of the broker, each made once. */
export class BrokerCalls {
  readonly #options: BrokerCallsOptions;
  /** The end of the query of each poll. */
  readonly #description: string;
  /** The broker of the latest call: sessions share one, and parsing and checking its URL takes as long as the rest of a poll. */
  #latest: { url: string; checked: URL } | undefined;

  constructor(options: BrokerCallsOptions) {
    const { version, os, architecture } = options.runner;
    this.#options = options;
    this.#description = `&runnerVersion=${encodeURIComponent(version)}&os=${os}&architecture=${architecture}`;
  }

  /** Creates a session. Returns the fields of the answer. @throws Refusal */
  async create(
    session: Omit<SessionReference, 'sessionId'>,
    runnerId: string,
    signal: StopSignal,
  ): Promise<Fields> {
    const { dialect, runner, ownerName } = this.#options;
    const { runnerName } = session;
    const what = `create the session of runner ${runnerName}`;
    const agent = `{"id":${/^\d+$/.test(runnerId) ? runnerId : 0},${JSON.stringify({
      name: runnerName,
      version: runner.version,
      osDescription: runner.os,
      ephemeral: dialect.isSingleUse,
      provisioningState: 'Provisioned',
      status: 0,
    }).slice(1)}`;
    const rest = JSON.stringify({
      sessionId: zeroId,
      ownerName,
      useFipsEncryption: false,
      brokerSession: true,
    });
    const { body } = await this.#call(session, signal, {
      endpoint: 'session',
      priority: 'session',
      what,
      method: 'POST',
      path: dialect.createSessionPath,
      body: `{"agent":${agent},${rest.slice(1)}`,
      timeoutMs: sessionTimeoutMs,
    });
    return new Fields(parseJson(body, `${what}: the answer`));
  }

  /** Deletes a session. @param sessionId undefined for the current session of the runner */
  async remove(
    session: Omit<SessionReference, 'sessionId'> & { sessionId: string | undefined },
    signal: StopSignal,
  ): Promise<void> {
    await this.#call(session, signal, {
      endpoint: 'session',
      priority: 'session',
      what: `delete the session of runner ${session.runnerName}`,
      method: 'DELETE',
      ...this.#options.dialect.deleteSessionPath(session.sessionId),
      timeoutMs: sessionTimeoutMs,
    });
  }

  /** Resolves when a session may be opened: it takes a millisecond of cryptography, and thousands may start at once. */
  turn(): Promise<void> {
    return this.#options.caller.turn();
  }

  /** Polls for a message. An answer without a body has no message. @throws Refusal */
  poll(session: SessionReference, status: RunnerStatus, signal: StopSignal): Promise<HttpAnswer> {
    return this.#options.caller.poll(() => this.#pollOf(session, status), signal);
  }

  #pollOf(session: SessionReference, status: RunnerStatus): ServiceCall {
    return this.#serviceCall(session, {
      endpoint: 'poll',
      priority: 'poll',
      what: `poll for runner ${session.runnerName}`,
      method: 'GET',
      path: 'message',
      search: `${this.#query(session.sessionId, status)}&disableUpdate=true`,
      timeoutMs: this.#options.pollTimeoutMs,
    });
  }

  /** Acknowledges the delivery of a job. @throws Refusal */
  async acknowledge(session: SessionReference, requestId: string, signal: StopSignal): Promise<void> {
    await this.#call(session, signal, {
      endpoint: 'acknowledge',
      priority: 'acquire',
      what: `acknowledge job ${requestId}`,
      method: 'POST',
      path: 'acknowledge',
      search: this.#query(session.sessionId, 'Online'),
      body: JSON.stringify({ runnerRequestId: requestId }),
      timeoutMs: acknowledgeTimeoutMs,
    });
  }

  #query(sessionId: string, status: RunnerStatus): string {
    return `?sessionId=${encodeURIComponent(sessionId)}&status=${status}${this.#description}`;
  }

  #call(session: CallSession, signal: StopSignal, call: BrokerCall): Promise<HttpAnswer> {
    return this.#options.caller.call(this.#serviceCall(session, call), signal);
  }

  #serviceCall(session: CallSession, call: BrokerCall): ServiceCall {
    /* One object literal for each held poll: spread syntax would give each object a hidden class of its own. */
    const { endpoint, priority, what, method, body, timeoutMs } = call;
    const { sessionId } = session;
    const url = this.#urlOf(session.brokerUrl, call.path, call.search);
    const headers = sessionId === undefined ? undefined : { 'x-actions-session': sessionId };
    return { endpoint, priority, what, method, url, token: session.token, headers, body, timeoutMs };
  }

  /** @param path relative to the URL of the broker */
  #urlOf(brokerUrl: string, path: string, search = ''): CallUrl {
    const { origin, host, pathname } = this.#check(brokerUrl);
    const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
    return { origin, host, pathname: folder + path, search };
  }

  #check(brokerUrl: string): URL {
    if (this.#latest?.url === brokerUrl) return this.#latest.checked;
    const checked = this.#options.hosts.checkService(brokerUrl);
    this.#latest = { url: brokerUrl, checked };
    return checked;
  }
}
