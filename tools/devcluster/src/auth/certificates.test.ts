import { X509Certificate, createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { createCertificates, ensureCertificates } from './certificates.js';

const testTime = new Date();
const day = 24 * 60 * 60 * 1000;

describe('certificates', () => {
  it('are an EC authority and a serving certificate that the authority issued for the loopback names', async () => {
    const { caCert, cert, key } = await createCertificates(testTime);
    const [ca, serving] = [new X509Certificate(caCert), new X509Certificate(cert)];
    expect(ca.ca).toBe(true);
    expect(serving.ca).toBe(false);
    expect(serving.checkIssued(ca)).toBe(true);
    expect(serving.verify(ca.publicKey)).toBe(true);
    expect(serving.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(serving.checkPrivateKey(createPrivateKey(key))).toBe(true);
    for (const ip of ['127.0.0.1', '::1']) expect(serving.checkIP(ip)).toBe(ip);
    for (const host of ['localhost', 'kubernetes.default.svc']) expect(serving.checkHost(host)).toBe(host);
    expect(serving.checkHost('example.test')).toBeUndefined();
  });

  it('serve TLS to a client that trusts the authority', async () => {
    const { caCert, cert, key } = await createCertificates(testTime);
    const server = createServer({ cert, key }, (socket) => socket.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: '127.0.0.1', port, ca: caCert });
    await once(client, 'secureConnect');
    expect(client.authorized).toBe(true);
    client.destroy();
    server.close();
    await once(server, 'close');
  });

  it('are kept while they are valid, and replaced before they expire or if they are malformed', async () => {
    const stored = await createCertificates(testTime);
    const inDays = (days: number): Date => new Date(testTime.getTime() + days * day);
    expect(await ensureCertificates(stored, inDays(300))).toBe(stored);
    for (const [unusable, now] of [
      [stored, inDays(364.5)],
      [stored, inDays(-1)],
      [{ ...stored, cert: 'nonsense' }, testTime],
      [{ ...stored, caCert: (await createCertificates(testTime)).caCert }, testTime],
      [undefined, testTime],
    ] as const) {
      const made = await ensureCertificates(unusable, now);
      expect(made).not.toBe(unusable);
      expect(await ensureCertificates(made, now)).toBe(made);
    }
  });
});
