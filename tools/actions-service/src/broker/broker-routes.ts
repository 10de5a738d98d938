import * as z from 'zod';
import type { Domain } from '../domain/domain.js';
import type { Runner, Session, SessionStatus } from '../domain/model.js';
import { requireCredential } from '../http/identity.js';
import { jsonReply, readJson, readQuery } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { isOlder } from './runner-version.js';

const sessionShape = z.object({
  ownerName: z.string().min(1),
  agent: z.object({ id: z.number().int(), name: z.string().min(1), version: z.string().min(1) }),
  useFipsEncryption: z.boolean().optional(),
});

const pollShape = {
  sessionId: z.string().min(1),
  status: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['online', 'busy', 'offline'])),
  runnerVersion: z.string().min(1),
  os: z.enum(['Linux', 'macOS', 'Windows']),
  architecture: z.enum(['X64', 'ARM64', 'ARM', 'X86']),
};
const messageShape = z.object({ ...pollShape, disableUpdate: z.enum(['true', 'false']) });
const acknowledgeQuery = z.object(pollShape);
const acknowledgeBody = z.object({ runnerRequestId: z.string().min(1) });

/** Returns the endpoints of the broker. */
export function brokerRoutes(domain: Domain): EndpointRoute[] {
  const endpoints = new BrokerEndpoints(domain);
  const at = (method: string, path: string, run: (call: Call) => Reply | Promise<Reply>): EndpointRoute => ({
    base: 'broker',
    method,
    template: `/broker/${path}`,
    run,
  });
  const sessions = domain.context.settings.dialect === 'live' ? 'session' : 'sessions';
  return [
    at('POST', sessions, (call) => endpoints.createSession(call)),
    at('DELETE', sessions, (call) => endpoints.deleteSession(call, call.query.get('sessionId') ?? undefined)),
    ...(sessions === 'sessions'
      ? [at('DELETE', 'sessions/{id}', (call) => endpoints.deleteSession(call, call.params['id']))]
      : []),
    at('GET', 'message', (call) => endpoints.poll(call)),
    at('POST', 'acknowledge', (call) => endpoints.acknowledge(call)),
    at('GET', 'health', () => jsonReply(200, { status: 'ok' })),
  ];
}

class BrokerEndpoints {
  readonly #domain: Domain;

  constructor(domain: Domain) {
    this.#domain = domain;
  }

  createSession(call: Call): Reply {
    const runner = this.#runner(call);
    this.#refuseConsumed(runner);
    const { ownerName, agent } = readJson(call, sessionShape);
    if (agent.id !== runner.id) {
      throw new Refused(403, `The token belongs to another runner than ${String(agent.id)}.`, {
        kind: 'AccessDenied',
        violation: 'foreign-agent',
      });
    }
    if (runner.disabled)
      throw new Refused(403, `Runner ${runner.name} is disabled.`, { kind: 'AccessDenied' });
    this.#requireVersion(agent.version);
    runner.version = agent.version;
    const session = this.#domain.sessions.create(runner, ownerName);
    return jsonReply(201, {
      sessionId: session.id,
      ownerName,
      assignmentQueued: false,
      orchestrationId: '',
    });
  }

  deleteSession(call: Call, id: string | undefined): Reply {
    const runner = this.#runner(call);
    this.#refuseConsumed(runner);
    const session = id === undefined ? runner.session : this.#domain.context.state.sessions.get(id);
    if (session !== undefined && session.runner !== runner) {
      throw new Refused(403, 'The session belongs to another runner.', { violation: 'foreign-agent' });
    }
    if (session !== undefined) this.#domain.sessions.end(session, 'session-deleted');
    return { status: 204 };
  }

  async poll(call: Call): Promise<Reply> {
    const runner = this.#runner(call);
    const query = readQuery(call, messageShape);
    /* The credential of a single-use runner ends when it has acquired its job: one poll gets an empty answer, all others 401. */
    if (runner.consumed === 'empty') {
      runner.consumed = 'unauthorized';
      return { status: 200 };
    }
    this.#refuseConsumed(runner);
    this.#requireVersion(query.runnerVersion);
    runner.os = query.os;
    const session = this.#session(runner, query.sessionId);
    const status: SessionStatus = query.status;
    const { reply, lost } = await this.#domain.polls.wait(session, status, call.signal, call.entry.seq);
    if (lost !== undefined) call.onLost(lost);
    return reply;
  }

  acknowledge(call: Call): Reply {
    const runner = this.#runner(call);
    const { sessionId } = readQuery(call, acknowledgeQuery);
    const { runnerRequestId } = readJson(call, acknowledgeBody);
    this.#refuseConsumed(runner);
    this.#session(runner, sessionId);
    const delivery = this.#domain.context.state.deliveries.get(runnerRequestId);
    if (delivery?.state !== 'offered' || delivery.runner !== runner) {
      throw new Refused(404, `Job ${runnerRequestId} was not found.`, { kind: 'AcknowledgeJobNotFound' });
    }
    this.#domain.dispatcher.acknowledge(delivery);
    return { status: 200 };
  }

  #runner({ identity }: Call): Runner {
    const { subject } = requireCredential(
      identity,
      ['runner'],
      'The access token is missing, invalid or expired.',
    );
    const runner = this.#domain.context.state.runners.get(Number(subject));
    if (runner !== undefined) return runner;
    if (this.#domain.context.state.consumed.has(Number(subject))) {
      throw new Refused(401, 'The registration of the runner has been deleted.');
    }
    throw new Refused(404, `Runner ${subject} was not found.`, { kind: 'RunnerNotFound' });
  }

  #requireVersion(version: string): void {
    const minimum = this.#domain.context.settings.minimumRunnerVersion;
    if (!isOlder(version, minimum)) return;
    const text = `Runner version v${version} is deprecated and cannot receive messages. The minimum version is ${minimum}.`;
    throw new Refused(400, text, { kind: 'RunnerVersionTooOld' });
  }

  #refuseConsumed(runner: Runner): void {
    if (runner.consumed !== undefined)
      throw new Refused(401, 'The registration of the runner has been deleted.');
  }

  #session(runner: Runner, id: string): Session {
    const { state, settings, violations } = this.#domain.context;
    const session = state.sessions.get(id);
    if (session?.runner === runner) return session;
    if (session !== undefined)
      violations.record('unknown-session', `runner ${String(runner.id)} uses a session of another one`);
    throw new Refused(settings.sessionInvalidStatus, 'The session does not exist or has expired.', {
      kind: 'RunnerSessionInvalid',
    });
  }
}
