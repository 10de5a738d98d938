import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { IdleConnections } from './idle-connections.js';

class Connection {
  isOpen = true;

  close(): void {
    this.isOpen = false;
  }
}

let clock: FakeClock;
let idle: IdleConnections<Connection>;

beforeEach(() => {
  clock = new FakeClock();
  idle = new IdleConnections(clock);
});

/** Adds connections, each with its time in milliseconds. */
function add(...times: number[]): Connection[] {
  return times.map((ms) => {
    const connection = new Connection();
    idle.add(connection, ms);
    return connection;
  });
}

describe('IdleConnections', () => {
  it('reuses the most recently used connection first, and reuses each connection only once', () => {
    const [first, second] = add(4_000, 4_000);
    expect([idle.take(), idle.take(), idle.take()]).toEqual([second, first, undefined]);
    expect(idle.size).toBe(0);
  });

  it('closes a connection whose time has passed instead of reusing it', async () => {
    const [long, short] = add(4_000, 500);
    await clock.advance(500);
    expect(idle.take()).toBe(long);
    expect(short).toMatchObject({ isOpen: false });
  });

  it('skips a connection that was closed', () => {
    const [open, closed] = add(4_000, 4_000);
    closed?.close();
    expect(idle.take()).toBe(open);
  });

  it('closes connections within a second after their time even if no call starts', async () => {
    const [long, short] = add(4_000, 1_500);
    await clock.advance(2_500);
    expect([long?.isOpen, short?.isOpen]).toEqual([true, false]);
    await clock.advance(2_500);
    expect(long?.isOpen).toBe(false);
  });

  it('does not reuse a connection that was removed', () => {
    const [first, second] = add(4_000, 4_000);
    if (second !== undefined) idle.remove(second);
    expect([idle.take(), idle.take()]).toEqual([first, undefined]);
  });

  it('does not close a connection that it forgot', async () => {
    const [connection] = add(500);
    idle.clear();
    await clock.advance(5_000);
    expect([idle.size, connection?.isOpen]).toEqual([0, true]);
  });
});
