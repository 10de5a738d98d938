import * as z from 'zod';
import type { Domain } from '../domain/domain.js';
import { requireCredential } from '../http/identity.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';

const startedShape = z.object({ workerId: z.string().min(1).max(200) });

/** Returns the results service, which workers report to. Uploads are accepted and dropped. */
export function resultsRoutes(domain: Domain): EndpointRoute[] {
  const at = (method: string, path: string, run: (call: Call) => Reply): EndpointRoute => ({
    base: 'results',
    method,
    template: `/results/${path}`,
    run,
  });
  const authorize = (call: Call): string =>
    requireCredential(call.identity, ['job'], 'Not authorized for this job').subject;
  return [
    at('POST', 'started', (call) => {
      const delivery = domain.context.state.deliveries.get(authorize(call));
      const { workerId } = readJson(call, startedShape);
      if (delivery === undefined) throw new Refused(404, 'Job not found', { violation: 'start-without-job' });
      domain.locks.start(delivery, workerId);
      return jsonReply(200, { ok: true });
    }),
    at('POST', 'twirp/{service}/{call}', (call) => {
      authorize(call);
      const url = `${domain.context.urls().results}/blob/${domain.context.random.guid()}`;
      return jsonReply(200, {
        ok: true,
        signed_blob_url: url,
        logs_url: url,
        summary_url: url,
        blob_storage_type: 'BLOB_STORAGE_TYPE_AZURE',
      });
    }),
    at('PUT', 'blob/{id}', () => ({ status: 201 })),
    at('GET', 'health', () => jsonReply(200, { status: 'ok' })),
  ];
}
