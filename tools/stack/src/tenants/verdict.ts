import type { Verdict } from '@interlock/actions-service';
import type { TenantJob } from './table.js';

/** The records at the end of the scenario. */
export interface TenantsEnd {
  jobs: readonly TenantJob[];
  verdict: Verdict;
  /** Namespaces by the address of a pod of their egress proxy. */
  proxies: ReadonlyMap<string, string>;
  /** Number of restarts of the containers of controllers and proxies. */
  restarts: number;
}

/** Counts that are 0 with correct gateways. */
const faults = [
  ['lost', 'attempts of jobs were lost'],
  ['runTwice', 'attempts of jobs were run twice'],
  ['lockExpired', 'attempts of jobs were cancelled because their lock expired'],
  ['neverRun', 'attempts of jobs were concluded but never ran'],
  ['open', 'attempts of jobs have no conclusion'],
  ['violations', 'calls that a correct client never makes reached the service'],
] as const satisfies readonly (readonly [keyof Verdict, string])[];

/** Returns the problems of the jobs at the end, one sentence each. Pure. */
export function findJobProblems({ jobs, verdict, proxies, restarts }: TenantsEnd): string[] {
  return [
    ...faults.flatMap(([key, text]) => (verdict[key] === 0 ? [] : [`${verdict[key]} ${text}`])),
    ...jobs.flatMap(({ tenant, name, outcome, retries, via }) => [
      ...(outcome === 'success' ? [] : [`${name} of ${tenant} ended with ${outcome}`]),
      ...(retries === 0 ? [] : [`${name} of ${tenant} was started ${retries + 1} times`]),
      ...(proxies.get(via ?? '') === tenant
        ? []
        : [
            `${name} of ${tenant} reached GitHub from ${via ?? 'an unknown address'}, not from the proxy of its tenant`,
          ]),
    ]),
    ...(restarts === 0 ? [] : [`containers of controllers and proxies restarted ${restarts} times`]),
  ];
}
