import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@interlock/base';
import { FakeClock, recordLog } from '@interlock/base/testing';
import { chooseEngine, type RelayChoice } from './choose.js';
import type { Connection } from './connection.js';
import type { RelayEngine } from './engine.js';
import type { HandleConnection } from './handles/handle-connection.js';
import { handlesEngine } from './handles/handles-engine.js';

/** Returns an engine whose connections to targets are modified by `change`. */
function changed(change: (connection: Connection) => void): RelayEngine {
  const engine = handlesEngine();
  return {
    name: 'handles',
    listen: (options) => engine.listen(options),
    dial: async (...target) => {
      const connection = await engine.dial(...target);
      change(connection);
      return connection;
    },
    handOver: (connection, first) => engine.handOver(connection as HandleConnection, first),
  };
}

function choose(choice: RelayChoice, handles?: () => RelayEngine) {
  const log = recordLog();
  const options = { choice, isTls: true, clock: systemClock, log, handles };
  return { engine: chooseEngine(options), log };
}

const unusable: Record<string, () => RelayEngine> = {
  'that this version of Node.js does not have': () => {
    throw new Error('tcp_wrap of this version of Node.js has no usable TCP');
  },
  'that cannot connect': () => ({
    ...handlesEngine(),
    dial: () => Promise.reject(new Error('connect is not a function')),
  }),
  'that loses bytes': () =>
    changed((connection) => {
      const write = connection.write.bind(connection);
      connection.write = (bytes) => write(bytes.length > 1000 ? bytes.subarray(1) : bytes);
    }),
  'that TLS cannot take over': () => ({
    ...handlesEngine(),
    handOver: () => {
      throw new Error('Socket has no usable handle');
    },
  }),
  'that turns a reset into an end': () => changed((connection) => (connection.reset = connection.close)),
};

describe('chooseEngine', () => {
  it('chooses the faster engine if it works, unless another engine is requested', async () => {
    expect((await choose('auto').engine).name).toBe('handles');
    expect((await choose('handles').engine).name).toBe('handles');
    expect((await choose('sockets').engine).name).toBe('sockets');
  });

  it('tests an engine with bytes that wait for a reader', async () => {
    let longest = 0;
    const watched = changed((connection) => {
      const write = connection.write.bind(connection);
      connection.write = (bytes) => {
        const isTaken = write(bytes);
        longest = Math.max(longest, connection.buffered);
        return isTaken;
      };
    });
    await choose('auto', () => watched).engine;
    expect(longest).toBeGreaterThan(0);
  });

  it.each(Object.keys(unusable))('rejects an engine %s, and logs the reason', async (name) => {
    const { engine, log } = choose('auto', unusable[name]);
    expect((await engine).name).toBe('sockets');
    expect(log.lines).toHaveLength(1);
    await expect(choose('handles', unusable[name]).engine).rejects.toThrow(
      /^--relay=handles cannot be used with Node.js v[\d.]+: .*; use --relay=sockets$/,
    );
  });

  it('rejects an engine that does not answer', async () => {
    const clock = new FakeClock();
    const silent = changed((connection) => (connection.write = () => true));
    const log = recordLog();
    const engine = chooseEngine({ choice: 'auto', isTls: false, clock, log, handles: () => silent });
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    await clock.advance(10_000);
    expect((await engine).name).toBe('sockets');
  });
});
