import {
  AuthorityKeyIdentifierExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from '@peculiar/x509';
import { expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from './issue.js';

const now = Date.UTC(2026, 0, 1);
const namespace = 'n'.repeat(63);

test('names the key of a certificate and of its issuer, as clients that check strictly require', async () => {
  const authority = await issueAuthority('hook', now);
  const serving = await issueServing(authority, ['hook.apps.svc'], now);
  const [issuer, issued] = [new X509Certificate(authority.cert), new X509Certificate(serving.cert)];
  const keyId = issuer.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  expect(keyId).toMatch(/^[0-9a-f]{40}$/);
  expect(issuer.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(keyId);
  expect(issued.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(keyId);
  expect(issued.getExtension(SubjectKeyIdentifierExtension)?.keyId).not.toBe(keyId);
  expect(await issued.verify({ publicKey: issuer, date: new Date(now) })).toBe(true);
});

test('has a common name of at most 64 characters for a Service in a namespace with a long name', async () => {
  const serving = await issueServing(await issueAuthority('hook', now), [`hook.${namespace}.svc`], now);
  expect(new X509Certificate(serving.cert).subject).toBe('CN=hook');
});
