import { describe, expect, it } from '@jest/globals';
import { trafficOf, type SeenRequest } from './traffic.js';

const tenants = [
  { namespace: 'team-a', account: 'acme' },
  { namespace: 'team-b', account: 'globex' },
];
const proxies = new Map([
  ['127.64.0.1', 'team-a'],
  ['127.64.0.2', 'team-b'],
]);
const from = (client: string, owner?: string): SeenRequest => ({ base: 'rest', client, owner });
const traffic = (...requests: SeenRequest[]) => trafficOf(requests, proxies, tenants);

describe('trafficOf', () => {
  it('counts the requests of each tenant, and counts requests without a credential for the tenant of their proxy', () => {
    expect(
      traffic(from('127.64.0.1', 'acme'), from('127.64.0.1'), from('127.64.0.2', 'globex'), {
        ...from('127.0.0.1'),
        base: 'control',
      }),
    ).toEqual({
      tenants: [
        { tenant: 'team-a', requests: 2, proxied: 2 },
        { tenant: 'team-b', requests: 1, proxied: 1 },
      ],
      problems: [],
    });
  });

  it.each([
    ['without a proxy', from('127.0.0.1', 'acme'), 'from 127.0.0.1, with a credential of acme'],
    [
      'through the proxy of the other tenant',
      from('127.64.0.2', 'acme'),
      'from the proxy of team-b, with a credential of acme',
    ],
    ['without a credential', from('127.0.0.1'), 'from 127.0.0.1, without a credential'],
    [
      'for another account',
      from('127.64.0.1', 'evil'),
      'from the proxy of team-a, with a credential of evil',
    ],
  ])('reports requests that arrived %s', (_, request, problem) => {
    const { problems, tenants: counted } = traffic(request, request);
    expect(problems).toEqual([`2 requests came ${problem}`]);
    expect(counted.map(({ proxied }) => proxied)).toEqual([0, 0]);
  });
});
