import * as z from 'zod';
import type { ActionsService } from '../actions-service.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { enqueueShape, faultShape, groupShape, messageShape, tokensShape } from './control-shapes.js';

const idShape = z.object({ runId: z.string().regex(/^\d{1,20}$/) });
const partitionShape = z.object({ ms: z.number().min(0) });

/** Returns the endpoints of the control API, which offers the operations of `ActionsService` to tests in other processes. */
export function controlRoutes(service: () => ActionsService): EndpointRoute[] {
  const at = (method: string, path: string, run: (call: Call) => Reply): EndpointRoute => ({
    base: 'control',
    method,
    template: `/__fake/${path}`,
    run: (call) => {
      requireJson(call);
      return run(call);
    },
  });
  return [
    ...jobRoutes(service, at),
    ...runnerControl(service, at),
    ...faultRoutes(service, at),
    ...reportRoutes(service, at),
  ];
}

type At = (method: string, path: string, run: (call: Call) => Reply) => EndpointRoute;

function jobRoutes(service: () => ActionsService, at: At): EndpointRoute[] {
  return [
    at('POST', 'jobs', (call) =>
      outOfRange(() => jsonReply(201, service().enqueue(readJson(call, enqueueShape)))),
    ),
    at('POST', 'runs', (call) => {
      const { jobs, runId } = readJson(
        call,
        z.object({ jobs: z.array(enqueueShape).min(1), runId: z.string().optional() }),
      );
      return outOfRange(() => jsonReply(201, { jobs: service().enqueueRun(jobs, runId) }));
    }),
    at('GET', 'jobs', () => jsonReply(200, { jobs: service().jobs() })),
    at('GET', 'jobs/{id}', (call) => {
      const job = service().job(call.params['id'] ?? '');
      if (job === undefined) throw new Refused(404, 'Not Found');
      return jsonReply(200, job);
    }),
    at('POST', 'cancel', (call) =>
      outOfRange(() => done(() => service().cancelRun(readJson(call, idShape).runId))),
    ),
    at('POST', 'force-cancel', (call) =>
      outOfRange(() => done(() => service().forceCancelRun(readJson(call, idShape).runId))),
    ),
    at('POST', 'rerun', (call) =>
      outOfRange(() => jsonReply(201, { jobs: service().rerunRun(readJson(call, idShape).runId) })),
    ),
  ];
}

function runnerControl(service: () => ActionsService, at: At): EndpointRoute[] {
  return [
    at('GET', 'runners', () => jsonReply(200, { runners: service().runners() })),
    at('DELETE', 'runners/{id}', (call) => found(service().deleteRunner(Number(call.params['id'])))),
    at('POST', 'runners/{id}/disable', (call) => found(service().disableRunner(Number(call.params['id'])))),
    at('POST', 'runners/{id}/enable', (call) =>
      found(service().disableRunner(Number(call.params['id']), false)),
    ),
    at('DELETE', 'sessions/{id}', (call) => found(service().expireSession(call.params['id'] ?? ''))),
    at('POST', 'sessions/{id}/messages', (call) => {
      const { type, body } = readJson(call, messageShape);
      return found(service().sendMessage(call.params['id'] ?? '', type, body));
    }),
    at('POST', 'tokens/expire', (call) => {
      const { kind, subject } = readJson(call, tokensShape);
      return done(() => service().expireTokens(kind, subject));
    }),
    at('POST', 'runner-groups', (call) => {
      const { scope, name, repositories } = readJson(call, groupShape);
      return jsonReply(201, { id: service().addRunnerGroup(scope, name, repositories) });
    }),
  ];
}

function faultRoutes(service: () => ActionsService, at: At): EndpointRoute[] {
  return [
    at('POST', 'faults', (call) =>
      outOfRange(() => jsonReply(201, { id: service().faults.add(readJson(call, faultShape)).id })),
    ),
    at('DELETE', 'faults', () => done(() => service().faults.clear())),
    at('DELETE', 'faults/{id}', (call) => found(service().faults.remove(Number(call.params['id'])))),
    at('POST', 'partition', (call) => done(() => service().partition(readJson(call, partitionShape).ms))),
    at('DELETE', 'partition', () => done(() => service().endPartition())),
  ];
}

function reportRoutes(service: () => ActionsService, at: At): EndpointRoute[] {
  const since = (call: Call): number => Number(call.query.get('since') ?? 0) || 0;
  return [
    at('GET', 'verdict', () => jsonReply(200, service().verdict())),
    at('GET', 'violations', () => jsonReply(200, { violations: service().violations })),
    at('DELETE', 'violations', () => done(() => service().clearViolations())),
    at('GET', 'journal', (call) => {
      const { journal } = service();
      return jsonReply(200, {
        seq: journal.seq,
        counts: journal.counts(),
        entries: journal.entries({ since: since(call) }),
      });
    }),
    at('GET', 'events', (call) => {
      const { events } = service();
      return jsonReply(200, { counts: events.counts(), events: events.entries({ since: since(call) }) });
    }),
  ];
}

/** Requires JSON: a page in a browser cannot send this media type to another origin without a preflight request. */
function requireJson({ entry, headers }: Call): void {
  if (entry.method === 'GET' || entry.method === 'DELETE') return;
  if (!(headers['content-type'] ?? '').startsWith('application/json'))
    throw new Refused(415, 'Send application/json');
}

function done(run: () => void): Reply {
  run();
  return { status: 204 };
}

function found(isFound: boolean): Reply {
  if (!isFound) throw new Refused(404, 'Not Found');
  return { status: 204 };
}

function outOfRange(run: () => Reply): Reply {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw new Refused(422, error.message);
    throw error;
  }
}
