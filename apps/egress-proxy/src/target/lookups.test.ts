import { describe, expect, test } from '@jest/globals';
import { Lookups, ResolverBusy, type Lookup } from './lookups.js';

/** Returns lookups whose answers are given by `answer`, and the names that are being looked up. */
function setup() {
  const asked = new Map<string, (addresses: string[]) => void>();
  const lookup = (host: string) => new Promise<string[]>((resolve) => void asked.set(host, resolve));
  const lookups = new Lookups({ lookup, maxLookups: 8, maxRunning: 4 });
  const answer = async (host: string): Promise<void> => {
    asked.get(host)?.([host]);
    asked.delete(host);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const joinAll = (client: string, ...hosts: string[]): Lookup[] =>
    hosts.map((host) => lookups.join(host, client));
  return { asked, answer, joinAll, lookups };
}

describe('lookups', () => {
  test('of one client, which are not answered, do not delay those of other clients', async () => {
    const { asked, answer, joinAll, lookups } = setup();
    joinAll('slow', 's1', 's2', 's3', 's4');
    expect([...asked.keys()]).toEqual(['s1', 's2']);
    const [github] = joinAll('other', 'github.com', 'api.github.com');
    expect([...asked.keys()]).toEqual(['s1', 's2', 'github.com', 'api.github.com']);
    await answer('github.com');
    expect(await github?.addresses).toEqual(['github.com']);
    expect(() => lookups.join('s5', 'slow')).toThrow(ResolverBusy);
    joinAll('other', 's3');
    expect([...asked.keys()]).toEqual(['s1', 's2', 'api.github.com', 's3']);
    await answer('s1');
    expect([...asked.keys()]).toEqual(['s2', 'api.github.com', 's3', 's4']);
  });

  test('are not started when no request waits for them any more', async () => {
    const { asked, answer, joinAll } = setup();
    const all = joinAll('slow', 's1', 's2', 's3', 's4');
    joinAll('slow', 's4');
    for (const { leave } of all) leave();
    await answer('s1');
    await answer('s2');
    expect([...asked.keys()]).toEqual(['s4']);
    joinAll('slow', 's3');
    expect([...asked.keys()]).toEqual(['s4', 's3']);
  });

  test('are shared by requests for one name, and repeated after an answer', async () => {
    const { asked, answer, joinAll } = setup();
    const [one, two] = [...joinAll('a', 'github.com'), ...joinAll('b', 'github.com')];
    expect(two?.addresses).toBe(one?.addresses);
    await answer('github.com');
    one?.leave();
    two?.leave();
    expect([...asked.keys()]).toEqual([]);
    joinAll('a', 'github.com');
    expect([...asked.keys()]).toEqual(['github.com']);
  });

  test('count for a client that waits, not for one that has left', () => {
    const { joinAll, lookups } = setup();
    const left = joinAll('left', 'n1', 'n2', 'n3', 'n4');
    joinAll('busy', 'b1', 'b2');
    joinAll('busy', 'n3', 'n4');
    for (const { leave } of left) leave();
    expect(() => joinAll('left', 'm1', 'm2')).not.toThrow();
    expect(() => lookups.join('m3', 'left')).toThrow(ResolverBusy);
  });

  test('are limited for all clients together', () => {
    const { joinAll, lookups } = setup();
    for (const client of ['a', 'b']) joinAll(client, ...[1, 2, 3, 4].map((at) => `${client}${at}`));
    expect(() => lookups.join('c1', 'c')).toThrow(ResolverBusy);
    expect(() => lookups.join('a1', 'c')).not.toThrow();
  });
});
