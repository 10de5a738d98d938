import type { RequestEntry, ServiceEvent } from '@interlock/actions-service';
import type { JobRow } from '../jobs/table.js';
import { textTable } from '../text-table.js';
import type { TenantTraffic } from './traffic.js';

/** A job of a tenant. */
export interface TenantJob extends JobRow {
  tenant: string;
  /** Address from which its worker reported its start to the service; undefined if it did not. */
  via: string | undefined;
}

/** A tenant of the last table. */
interface TenantRow extends TenantTraffic {
  jobs: number;
  succeeded: number;
  /** The final state of the tenant. */
  end: string;
}

/** Returns the address from which the worker of each job reported its start, by the id of the job. Pure. */
export function startAddresses(
  events: readonly Pick<ServiceEvent, 'type' | 'job' | 'delivery'>[],
  requests: readonly Pick<RequestEntry, 'base' | 'subject' | 'client'>[],
): Map<string, string> {
  const clients = new Map(
    requests
      .filter(({ base, subject }) => base === 'results' && subject.kind === 'job')
      .map(({ subject, client }) => [subject.id, client]),
  );
  const found = new Map<string, string>();
  for (const { type, job = '', delivery = '' } of events) {
    const client = clients.get(delivery);
    if (type === 'job-started' && client !== undefined) found.set(job, client);
  }
  return found;
}

const jobTitles = ['tenant', 'job', 'queued', 'started', 'ended', 'pod', 'address at GitHub', 'outcome'];
const jobNumbers = new Set([2, 3, 4]);

/** Returns the jobs as lines. Pure. */
export function jobTable(jobs: readonly TenantJob[]): string[] {
  const rows = jobs.map(({ tenant, name, queued, started, ended, pod, via, outcome }) => [
    tenant,
    name,
    ...[queued, started, ended].map((seconds) => seconds?.toFixed(1) ?? '-'),
    pod ?? '-',
    via ?? '-',
    outcome,
  ]);
  return textTable(jobTitles, rows, jobNumbers);
}

const tenantTitles = ['tenant', 'jobs', 'succeeded', 'requests', 'through its proxy', 'in the end'];
const tenantNumbers = new Set([1, 2, 3, 4]);

/** Returns the tenants as lines. Pure. */
export function tenantTable(tenants: readonly TenantRow[]): string[] {
  const rows = tenants.map(({ tenant, jobs, succeeded, requests, proxied, end }) => [
    tenant,
    ...[jobs, succeeded, requests, proxied].map(String),
    end,
  ]);
  return textTable(tenantTitles, rows, tenantNumbers);
}
