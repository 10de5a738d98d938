import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { freePort } from './free-port.js';

it('returns a different port each time, which is neither in use nor in the range for outgoing connections', async () => {
  const port = await freePort();
  const taken = createServer().listen(port + 1, '127.0.0.1');
  /* If listening fails, another process listens on the port. */
  await once(taken, 'listening').catch(() => undefined);
  try {
    const [second, third] = [await freePort(), await freePort()];
    expect(new Set([port, port + 1, second, third]).size).toBe(4);
    expect(Math.max(port, second, third)).toBeLessThan(32_768);
  } finally {
    taken.close();
  }
});
