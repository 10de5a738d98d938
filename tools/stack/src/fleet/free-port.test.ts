import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { freePort } from './free-port.js';

it('is another one each time, none that is taken, and none that a connection may be given', async () => {
  const port = await freePort();
  const taken = createServer().listen(port + 1, '127.0.0.1');
  /* If it cannot listen, another process does. */
  await once(taken, 'listening').catch(() => undefined);
  try {
    const [second, third] = [await freePort(), await freePort()];
    expect(new Set([port, port + 1, second, third]).size).toBe(4);
    expect(Math.max(port, second, third)).toBeLessThan(32_768);
  } finally {
    taken.close();
  }
});
