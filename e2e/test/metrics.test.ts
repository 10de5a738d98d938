import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { alone, startWorld, type World } from './support/world.js';

const timeoutMs = 60_000;
let world: World;

beforeAll(async () => {
  world = await startWorld({ fleet: alone });
  world.fleet.start();
  await eventually(async () => expect(await world.fleet.ready('promoter')).toBe(true), timeoutMs);
}, timeoutMs);
afterAll(() => world.close());

test('docs/promoter.md has every metric that the promoter serves, with its type, and no other', async () => {
  const page = await readFile(new URL('../../docs/promoter.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `([a-z_]+)` +\| (counter|gauge|histogram|summary) /gm)];
  const served = [...(await world.fleet.metrics('promoter')).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  /* Those of the Node.js process are not the promoter's own. */
  const own = served.filter(([, name = '']) => !/^(nodejs|process)_/.test(name));
  const lines = (matches: RegExpMatchArray[]) => matches.map(([, name, type]) => `${name} ${type}`).sort();
  expect(lines(documented)).toEqual(lines(own));
  expect(own.length).toBeLessThan(served.length);
});
