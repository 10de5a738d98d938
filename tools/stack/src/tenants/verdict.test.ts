import { describe, expect, it } from '@jest/globals';
import { parseAnswer } from './ask-proxy.js';
import { findReachProblems, reachTable, type ReachResult } from './reach.js';
import { findRemovalProblems } from './removal.js';
import { findRotationProblems } from './rotation.js';
import { jobTable, startAddresses, tenantTable, type TenantJob } from './table.js';
import { findJobProblems, type TenantsEnd } from './verdict.js';

const job: TenantJob = {
  ...{ tenant: 'team-a', name: 'web-01', queued: 0, started: 1.25, ended: undefined, pod: 'runner-1' },
  ...{ retries: 0, outcome: 'success', via: '127.64.0.1' },
};
const verdict = {
  ...{ jobs: 1, completed: 1, lost: 0, runTwice: 0, lockExpired: 0, cancelled: 0, neverRun: 0, open: 0 },
  violations: 0,
};
const good: TenantsEnd = {
  ...{ jobs: [job], verdict, proxies: new Map([['127.64.0.1', 'team-a']]), restarts: 0 },
};

describe('the verdict of the scenario', () => {
  it('returns no problem after a correct run', () => {
    const rotation = { tenant: 'team-a', running: 2, kept: [], tokens: 1 };
    const removal = { tenant: 'team-b', runners: { before: 2, after: 0 }, left: [] };
    expect([
      ...findJobProblems(good),
      ...findRotationProblems(rotation),
      ...findRemovalProblems(removal),
    ]).toEqual([]);
  });

  it.each<[string, Partial<TenantsEnd>, string]>([
    ['was lost', { verdict: { ...verdict, lost: 1 } }, '1 attempts of jobs were lost'],
    [
      'made an invalid call',
      { verdict: { ...verdict, violations: 2 } },
      '2 calls that a correct client never makes reached the service',
    ],
    ['failed', { jobs: [{ ...job, outcome: 'failure' }] }, 'web-01 of team-a ended with failure'],
    ['was run again', { jobs: [{ ...job, retries: 1 }] }, 'web-01 of team-a was started 2 times'],
    [
      'used another route',
      { jobs: [{ ...job, via: '127.64.0.2' }] },
      'web-01 of team-a reached GitHub from 127.64.0.2, not from the proxy of its tenant',
    ],
    ['restarted', { restarts: 1 }, 'containers of controllers and proxies restarted 1 times'],
  ])('reports a job or a program that %s', (_, changes, problem) => {
    expect(findJobProblems({ ...good, ...changes })).toEqual([problem]);
  });

  it('reports remaining objects, and parts of the scenario that prove nothing', () => {
    expect(findRotationProblems({ tenant: 'team-a', running: 0, kept: ['agc-1'], tokens: 0 })).toEqual([
      'no job of team-a ran while its credential was rotated',
      'pod agc-1 of team-a still runs with the old credential',
      'team-a did not use its new key',
    ]);
    expect(
      findRemovalProblems({ tenant: 'team-b', runners: { before: 0, after: 1 }, left: ['Secret/agent'] }),
    ).toEqual([
      'team-b had no runner at GitHub, so its removal proves nothing',
      '1 runners of team-b are left at GitHub',
      'Secret/agent of team-b is left in its namespace',
    ]);
  });
});

describe('the access of a tenant', () => {
  const denied: ReachResult = {
    ...{ tenant: 'team-a', what: 'the API server', address: '127.0.0.1:6443', listens: true },
    expected: { status: 403, reason: 'PortNotAllowed' },
    answer: { status: 403, reason: 'PortNotAllowed' },
  };

  it('is read from the answer of the proxy', () => {
    expect(parseAnswer('HTTP/1.1 200 OK\r\n\r\n')).toEqual({ status: 200, reason: undefined });
    expect(parseAnswer('HTTP/1.1 403 Forbidden\r\nX-Proxy-Reason: HostNotAllowed\r\n\r\n')).toEqual({
      status: 403,
      reason: 'HostNotAllowed',
    });
    expect(parseAnswer('SSH-2.0\r\n\r\n')).toEqual({ status: 0, reason: undefined });
  });

  it('is a problem if the answer is not the expected one, or if no server listens at the address', () => {
    expect(findReachProblems([denied])).toEqual([]);
    expect(findReachProblems([{ ...denied, answer: { status: 200 } }])).toEqual([
      'the proxy of team-a answers 200 for the API server, not 403 PortNotAllowed',
    ]);
    expect(findReachProblems([{ ...denied, listens: false }])).toEqual([
      'no server listens at 127.0.0.1:6443 (the API server), so a refusal of the proxy proves nothing',
    ]);
    expect(reachTable([denied])).toEqual([
      'tenant  target          address         is up  through the proxy of the tenant',
      'team-a  the API server  127.0.0.1:6443  yes    403 PortNotAllowed',
    ]);
  });
});

describe('the tables', () => {
  it('contain each job with the address from which its worker reached GitHub, and each tenant', () => {
    expect(jobTable([job])).toEqual([
      'tenant  job     queued  started  ended  pod       address at GitHub  outcome',
      'team-a  web-01     0.0      1.3      -  runner-1  127.64.0.1         success',
    ]);
    const row = { tenant: 'team-a', jobs: 3, succeeded: 2, requests: 40, proxied: 40, end: 'deleted' };
    expect(tenantTable([row])).toEqual([
      'tenant  jobs  succeeded  requests  through its proxy  in the end',
      'team-a     3          2        40                 40  deleted',
    ]);
  });

  it('contain the address of a job from the delivery of the started job', () => {
    const subject = { kind: 'job', id: 'delivery-1' } as const;
    const requests = [{ base: 'results', subject, client: '127.64.0.1' }] as const;
    const events = [
      { type: 'job-acquired', job: '2', delivery: 'delivery-2' },
      { type: 'job-started', job: '1', delivery: 'delivery-1' },
    ] as const;
    expect(startAddresses(events, requests)).toEqual(new Map([['1', '127.64.0.1']]));
  });
});
