import { TypedError } from '@interlock/api';
import { describe, expect, test } from '@jest/globals';
import { HostPolicy, type HostRules } from './hosts.js';

/** In these tests, the name of a provider is its server. */
interface Provider {
  spec: { server?: string };
}

function policy({ of = [], ...rules }: Partial<HostRules> & { of?: Provider['spec'][] } = {}): HostPolicy {
  const clusterProviders = () => of.map((spec) => ({ spec }));
  const serverOf = ({ spec }: { spec: object }) => ('server' in spec ? String(spec.server) : undefined);
  return new HostPolicy({ allowed: [], allowHttp: false, clusterProviders, ...rules }, serverOf);
}

/** Returns the reason for which an origin is refused; undefined if it is allowed. */
function refusalOf(hosts: HostPolicy, origin: string): string | undefined {
  try {
    hosts.check(origin, 'ScmProvider forge');
    return undefined;
  } catch (error) {
    if (error instanceof TypedError) return error.reason;
    throw error;
  }
}

describe('without a list', () => {
  test.each([
    ['https://github.com', undefined],
    ['https://gitlab.com', undefined],
    ['https://api.github.com', 'HostNotAllowed'],
    ['https://github.com.example.com', 'HostNotAllowed'],
    ['https://github.com:8443', 'HostNotAllowed'],
    ['https://169.254.169.254', 'HostNotAllowed'],
    ['http://github.com', 'HttpNotAllowed'],
  ])('only the public hosts are allowed: %s', (origin, reason) => {
    expect(refusalOf(policy(), origin)).toBe(reason);
  });

  test('the servers that ClusterScmProviders name are allowed, with their scheme and port', () => {
    const hosts = policy({
      of: [{ server: 'https://git.example.com:8443' }, { server: 'http://127.0.0.1:80' }, {}],
      allowHttp: true,
    });
    expect(refusalOf(hosts, 'https://git.example.com:8443')).toBeUndefined();
    expect(refusalOf(hosts, 'https://git.example.com')).toBe('HostNotAllowed');
    expect(refusalOf(hosts, 'http://git.example.com:8443')).toBe('HostNotAllowed');
  });

  test('only the public hosts are allowed before the ClusterScmProviders are read', () => {
    const hosts = policy({ clusterProviders: () => undefined });
    expect(refusalOf(hosts, 'https://git.example.com')).toBe('HostsNotKnown');
    expect(refusalOf(hosts, 'https://github.com')).toBeUndefined();
  });
});

describe('with a list', () => {
  test.each([
    ['https://git.example.com', undefined],
    ['https://GIT.example.com', undefined],
    ['https://git.example.com:8443', 'HostNotAllowed'],
    ['https://forge.example.com:8443', undefined],
    ['https://forge.example.com', 'HostNotAllowed'],
    ['https://sub.git.example.com', 'HostNotAllowed'],
    ['https://plain.example.com', undefined],
    ['https://github.com', 'HostNotAllowed'],
    ['https://cluster.example.com', 'HostNotAllowed'],
  ])('only its hosts are allowed: %s', (origin, reason) => {
    const hosts = policy({
      allowed: ['Git.Example.com', 'forge.example.com:8443', 'plain.example.com:443'],
      of: [{ server: 'https://cluster.example.com' }],
    });
    expect(refusalOf(hosts, new URL(origin).origin)).toBe(reason);
  });

  test('plain HTTP also needs the flag', () => {
    const allowed = ['127.0.0.1:8080', 'git.example.com'];
    expect(refusalOf(policy({ allowed }), 'http://127.0.0.1:8080')).toBe('HttpNotAllowed');
    const lenient = policy({ allowed, allowHttp: true });
    expect(refusalOf(lenient, 'http://127.0.0.1:8080')).toBeUndefined();
    expect(refusalOf(lenient, 'http://git.example.com')).toBeUndefined();
    expect(refusalOf(lenient, 'http://127.0.0.1:8081')).toBe('HostNotAllowed');
  });

  test.each([
    'https://git.example.com',
    'git.example.com/acme',
    'me@git.example.com',
    'a b',
    ':1',
    'git:port',
  ])('%j is refused, because it is not a host', (host) => {
    expect(() => policy({ allowed: [host] })).toThrow(`--scm-hosts: ${JSON.stringify(host)} is not a host`);
  });
});

test('a refusal names the field of the host, and what to do', () => {
  expect(() => policy().check('https://git.example.com', 'ScmProvider forge')).toThrow(
    'ScmProvider forge: the host git.example.com is not allowed; add it to the flag --scm-hosts, or create a ClusterScmProvider that names it',
  );
  expect(() => policy().check('http://git.example.com', 'ScmProvider forge')).toThrow(
    'ScmProvider forge: http://git.example.com is reached without TLS, so a credential could be intercepted; use https, or start the process with --allow-http',
  );
});
