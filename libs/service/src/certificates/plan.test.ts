import { beforeAll, describe, expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from './issue.js';
import { planRenewal, splitBundle, validAuthorities, type StoredCertificates } from './plan.js';

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 1);
const names = ['hook.apps.svc', 'hook.apps.svc.cluster.local'] as const;

let stored: StoredCertificates;
let other: StoredCertificates;

async function issue(now: number): Promise<StoredCertificates> {
  const authority = await issueAuthority('hook', now);
  const serving = await issueServing(authority, [...names], now);
  return { authorities: authority.cert, authorityKey: authority.key, ...serving };
}

beforeAll(async () => {
  stored = await issue(start);
  other = await issue(start + 1);
});

describe('the next step', () => {
  test.each([
    ['at first', 0, 'keep'],
    ['before the certificate is due', 59, 'keep'],
    ['when it is due', 61, 'serving'],
    ['when it is over', 91, 'serving'],
    ['before the authority is due, the certificate over', 3280, 'serving'],
    ['when the authority is over', 3651, 'all'],
    ['before they are valid', -1, 'all'],
  ])('%s', (_when, days, step) => {
    expect(planRenewal(stored, names, start + days * day)).toBe(step);
  });

  test('is a new authority a year before the end of the old one, if what it signed can be served', async () => {
    const now = start + (3650 - 364) * day;
    const authority = { cert: stored.authorities, key: stored.authorityKey };
    const fresh = { ...stored, ...(await issueServing(authority, [...names], now)) };
    expect(planRenewal(fresh, names, now - 2 * day)).toBe('serving');
    expect(planRenewal(fresh, names, now)).toBe('authority');
  });

  test.each<[string, () => StoredCertificates | undefined, string]>([
    ['nothing is stored', () => undefined, 'all'],
    ['it is not PEM', () => ({ authorities: 'x', authorityKey: 'x', cert: 'x', key: 'x' }), 'all'],
    ['the authority has another key', () => ({ ...stored, authorityKey: other.authorityKey }), 'all'],
    ['the certificate has another key', () => ({ ...stored, key: other.key }), 'serving'],
    ['the certificate is not PEM', () => ({ ...stored, cert: '' }), 'serving'],
    ['another authority signed', () => ({ ...stored, cert: other.cert, key: other.key }), 'serving'],
    [
      'a second authority is trusted, and signed',
      () => ({
        ...other,
        ...{ cert: stored.cert, key: stored.key },
        authorities: other.authorities + stored.authorities,
      }),
      'keep',
    ],
  ])('when %s', (_when, given, step) => {
    expect(planRenewal(given(), names, start + day)).toBe(step);
  });

  test('is another certificate when it lacks a name', () => {
    expect(planRenewal(stored, [...names, 'other.apps.svc'], start)).toBe('serving');
  });
});

test('a bundle loses the authorities that are over', async () => {
  const younger = await issueAuthority('younger', start + 100 * day);
  const bundle = `${younger.cert}\n${stored.authorities}`;
  expect(splitBundle(bundle)).toHaveLength(2);
  expect(validAuthorities(bundle, start + 200 * day)).toHaveLength(2);
  expect(validAuthorities(bundle, start + 3700 * day)).toEqual(splitBundle(younger.cert));
});
