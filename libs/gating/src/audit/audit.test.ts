import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { AuditRecord } from '@interlock/api';
import { believedState } from '../reading.js';
import { gate } from '../testing/objects.js';
import { appendAudit, verifyAudit } from './audit.js';
import { auditSigner, auditVerifier } from './signature.js';

const entry = (minute: number) => ({
  at: `2026-11-21T12:${String(minute).padStart(2, '0')}:00Z`,
  since: '2026-11-21T12:00:00Z',
  to: 'Open' as const,
  cause: 'Default',
});
const chain = (count: number) =>
  Array.from({ length: count }, (_, minute) => entry(minute)).reduce<AuditRecord[]>(
    (history, one) => appendAudit(history, one),
    [],
  );
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('chains a record to the previous record by its digest, and computes digests over canonical JSON', () => {
  const [first, second] = chain(2);
  expect(first?.previous).toBe(sha256(''));
  expect(first?.digest).toBe(
    sha256(
      `{"at":"2026-11-21T12:00:00Z","cause":"Default","previous":"${sha256('')}","sequence":1,"since":"2026-11-21T12:00:00Z","to":"Open"}`,
    ),
  );
  expect(second?.previous).toBe(first?.digest);
});

test('accepts a signed chain only with the public key and for its gate, and refuses a recomputed or copied chain', () => {
  const pem = { type: 'spki', format: 'pem' } as const;
  const keys = generateKeyPairSync('ed25519', {
    publicKeyEncoding: pem,
    privateKeyEncoding: { ...pem, type: 'pkcs8' },
  });
  const door = { metadata: { namespace: 'team', name: 'door', uid: 'first' } };
  const sign = auditSigner(keys.privateKey)(door);
  const isSigned = auditVerifier(keys.publicKey)(door);
  const history = [0, 1].reduce<AuditRecord[]>((before, one) => appendAudit(before, entry(one), sign), []);
  expect(verifyAudit(history, isSigned)).toEqual([]);
  expect(verifyAudit(history)).toEqual([]);
  const forged = appendAudit(history.slice(0, 1), { ...entry(1), actor: 'mallory' });
  expect(verifyAudit(forged)).toEqual([]);
  expect(verifyAudit(forged, isSigned)).toEqual([
    { index: 1, message: 'the record of 2026-11-21T12:01:00Z is not signed' },
  ]);
  const borrowed = [history[0]!, { ...forged[1]!, signature: history[1]!.signature! }];
  expect(verifyAudit(borrowed, isSigned)).toEqual([
    { index: 1, message: 'the record of 2026-11-21T12:01:00Z is not signed with this key' },
  ]);
  for (const metadata of [
    { namespace: 'team', name: 'other', uid: 'first' },
    { namespace: 'other', name: 'door', uid: 'first' },
    { namespace: 'team', name: 'door', uid: 'second' },
  ])
    expect(verifyAudit(history, auditVerifier(keys.publicKey)({ metadata }))).toHaveLength(2);
  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: pem,
    privateKeyEncoding: { ...pem, type: 'pkcs8' },
  });
  expect(() => auditSigner(rsa.privateKey)).toThrow('the key is of type rsa');
});

test('keeps the last twenty records, counts all of them, and verifies them', () => {
  const history = chain(25);
  expect(history.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 6),
  );
  expect(history.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, index) => entry(index + 5).at));
  expect(verifyAudit(history)).toEqual([]);
  expect(verifyAudit(undefined)).toEqual([]);
});

test.each([
  [
    'changed',
    (records: AuditRecord[]) => records.map((one, i) => (i === 1 ? { ...one, cause: 'Other' } : one)),
    [1],
  ],
  ['removed', (records: AuditRecord[]) => records.filter((_, i) => i !== 1), [1]],
  ['moved', ([a, b, c]: AuditRecord[]) => [a!, c!, b!], [1, 2]],
])('finds a record that was %s', (_name, tamper, indexes) => {
  expect(verifyAudit(tamper(chain(3))).map(({ index }) => index)).toEqual(indexes);
});

test.each([
  [undefined, 'Closed', 'has not been evaluated yet'],
  [{ state: 'Open', validUntil: '2026-11-21T13:00:00Z', message: 'fine' }, 'Open', 'fine'],
  [{ state: 'Open', validUntil: '2026-11-21T12:00:00Z' }, 'Closed', 'was valid until 2026-11-21T12:00:00Z'],
  [{ state: 'Open' }, 'Closed', 'was valid until an unknown time'],
  [{ state: 'Closed', validUntil: '2026-11-21T13:00:00Z', message: 'freeze' }, 'Closed', 'freeze'],
] as const)('treats the status %j as %s', (status, state, message) => {
  const reading = believedState(gate({}, status), Date.parse('2026-11-21T12:00:00Z'));
  expect(reading).toEqual({ state, message: expect.stringContaining(message) });
});
