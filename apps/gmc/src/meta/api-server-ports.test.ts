import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import type { EndpointSlice } from '@interlock/kube';
import { ApiServerPorts, portsOf } from './api-server-ports.js';

const https = (port: number) => ({ name: 'https', port, protocol: 'TCP' });

describe('portsOf', () => {
  it.each<[string, EndpointSlice['ports'], number[]]>([
    ['the usual port', [https(6443)], [443, 6443]],
    ['another port', [https(16443)], [443, 16443]],
    ['the port of the Service', [https(443)], [443]],
    ['several ports', [https(8443), https(6443)], [443, 6443, 8443]],
    ['no port', [], [443, 6443]],
    ['no port of TCP', [{ port: 53, protocol: 'UDP' }], [443, 6443]],
  ])('returns the port of the Service and those of its endpoints, which have %s', (_, ports, expected) => {
    expect(portsOf(ports)).toEqual(expected);
  });
});

describe('ApiServerPorts', () => {
  it('reads the ports once an hour, and keeps the known ones while they cannot be read', async () => {
    const clock = new FakeClock();
    let reads = 0;
    let answer = () => Promise.resolve({ ports: [https(8443)] } as EndpointSlice);
    const client = {
      get: () => {
        reads += 1;
        return answer();
      },
    };
    const ports = new ApiServerPorts({
      client: client as never,
      clock,
      log: { warn: () => undefined },
    });
    expect(await Promise.all([ports.read(), ports.read()])).toEqual([
      [443, 8443],
      [443, 8443],
    ]);
    await clock.advance(59 * 60_000);
    expect(await ports.read()).toEqual([443, 8443]);
    expect(reads).toBe(1);
    answer = () => Promise.reject(new Error('forbidden'));
    await clock.advance(60_000);
    expect(await ports.read()).toEqual([443, 8443]);
    expect(await ports.read()).toEqual([443, 8443]);
    expect(reads).toBe(2);
    answer = () => Promise.resolve({ ports: [https(6443)] } as EndpointSlice);
    await clock.advance(60_000);
    expect(await ports.read()).toEqual([443, 6443]);
  });

  it.each([0, -2 * 3_600_000])(
    'returns no ports before the first answer, and reads them again after a minute on a clock that was set by %i ms',
    async (step) => {
      const clock = new FakeClock();
      let answer = () => Promise.reject<EndpointSlice>(new Error('forbidden'));
      const ports = new ApiServerPorts({
        client: { get: () => answer() } as never,
        clock,
        log: { warn: () => undefined },
      });
      expect(await ports.read()).toBeUndefined();
      answer = () => Promise.resolve({ ports: [https(8443)] } as EndpointSlice);
      expect(await ports.read()).toBeUndefined();
      clock.set(step);
      await clock.advance(60_000);
      expect(await ports.read()).toEqual([443, 8443]);
    },
  );
});
