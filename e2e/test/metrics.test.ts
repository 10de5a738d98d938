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

test('the responder serves the metrics of its page, and those that docs/gitops-responder.md has beside them', async () => {
  await eventually(async () => expect(await world.fleet.metrics('gitops-responder')).toBeTruthy(), timeoutMs);
  const prefix = 'ugallu_gitops_responder_';
  const served = [...(await world.fleet.metrics('gitops-responder')).matchAll(/^# TYPE (\S+) \S+$/gm)];
  const own = served.map(([, name = '']) => name).filter((name) => name.startsWith(prefix));
  const ofThePage = ['dispatches_total', 'attempts_total', 'routing_misses_total'];
  expect(own).toEqual(expect.arrayContaining(ofThePage.map((name) => `${prefix}${name}`)));
  const page = await readFile(new URL('../../docs/gitops-responder.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| metric `ugallu_gitops_responder_…`([^]*?)\n\n/.exec(page) ?? [];
  const documented = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name = '']) => `${prefix}${name}`);
  expect(documented.sort()).toEqual(own.sort());
});
