import * as z from 'zod';
import type { Domain } from '../domain/domain.js';
import { reportedConclusions } from '../domain/job-locks.js';
import type { Delivery } from '../domain/model.js';
import { jobPayload } from '../domain/payload.js';
import { requireCredential } from '../http/identity.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import type { ViolationRule } from '../record/violations.js';

const acquireShape = z.object({
  jobMessageId: z.string().min(1),
  runnerOS: z.enum(['Linux', 'macOS', 'Windows']),
  billingOwnerId: z.string(),
});
const renewShape = z.object({ planId: z.string().min(1), jobId: z.string().min(1) });
/* A timestamp that is not known is omitted; the service of GitHub refuses an empty one. */
const timestamp = z.iso.datetime({ offset: true }).nullish();
const completeShape = z.object({
  planId: z.string().min(1),
  jobId: z.string().min(1),
  /* One of them; clients differ. */
  conclusion: z.enum(reportedConclusions).optional(),
  result: z.enum(reportedConclusions).optional(),
  outputs: z.unknown().optional(),
  stepResults: z.array(z.looseObject({ started_at: timestamp, completed_at: timestamp })).nullish(),
  annotations: z
    .array(z.looseObject({ level: z.enum(['notice', 'warning', 'failure']).optional() }))
    .nullish(),
});

/** Returns the endpoints of the run service. */
export function runRoutes(domain: Domain): EndpointRoute[] {
  const endpoints = new RunEndpoints(domain);
  const at = (method: string, path: string, run: (call: Call) => Reply): EndpointRoute => ({
    base: 'run',
    method,
    template: `/run/{shard}/${path}`,
    run,
  });
  return [
    at('POST', 'acquirejob', (call) => endpoints.acquire(call)),
    at('POST', 'renewjob', (call) => endpoints.renew(call)),
    at('POST', 'completejob', (call) => endpoints.complete(call)),
    at('GET', 'health', () => jsonReply(200, { status: 'ok' })),
  ];
}

class RunEndpoints {
  readonly #domain: Domain;

  constructor(domain: Domain) {
    this.#domain = domain;
  }

  acquire(call: Call): Reply {
    const { subject } = requireCredential(call.identity, ['runner'], 'Not authorized to acquire jobs');
    const { jobMessageId } = readJson(call, acquireShape);
    const runner = this.#domain.context.state.runners.get(Number(subject));
    if (runner === undefined) throw new Refused(404, 'The runner was not found.');
    const delivery = this.#domain.locks.acquire(runner, jobMessageId, call.params['shard'] ?? '');
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-plan-id': delivery.job.planId },
      body: jobPayload(this.#domain.context, delivery),
    };
  }

  renew(call: Call): Reply {
    const { planId, jobId } = readJson(call, renewShape);
    const delivery = this.#delivery(call, planId, jobId, 'renew-mismatch');
    const until = this.#domain.locks.renew(delivery);
    return jsonReply(200, { lockedUntil: new Date(until).toISOString() });
  }

  complete(call: Call): Reply {
    const body = readJson(call, completeShape);
    const reported = body.conclusion ?? body.result;
    if (reported === undefined) {
      throw new Refused(400, 'conclusion is missing', { violation: 'malformed-request' });
    }
    const delivery = this.#delivery(call, body.planId, body.jobId, 'complete-mismatch');
    this.#domain.locks.complete(delivery, reported);
    return { status: 204 };
  }

  /** Returns the delivery of a job token, or, in the dialect `seed`, the delivery that a runner names. */
  #delivery(call: Call, planId: string, jobId: string, mismatch: ViolationRule): Delivery {
    const { state, settings } = this.#domain.context;
    const kinds = settings.dialect === 'live' ? (['job'] as const) : (['job', 'runner'] as const);
    const { kind, subject } = requireCredential(call.identity, kinds, 'Not authorized for this job');
    const delivery = state.deliveries.get(kind === 'job' ? subject : jobId);
    if (delivery === undefined) throw new Refused(404, `Job not found: ${jobId}`);
    this.#domain.locks.checkShard(delivery, call.params['shard'] ?? '');
    const isOwn = kind === 'job' || delivery.runner.id === Number(subject);
    if (!isOwn || delivery.id !== jobId || delivery.job.planId !== planId) {
      throw new Refused(404, `Job not found: ${jobId}`, { violation: mismatch });
    }
    return delivery;
  }
}
