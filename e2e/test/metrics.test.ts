import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { apps } from '@interlock/stack';
import { sum } from './support/idle.js';
import { environments, pendingPromotion } from './support/promotion-scenario.js';
import { Team } from './support/team.js';
import { tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture({ fleet: { args: { ...alone.args, promoter: [] } } });
  const { path, drySHA } = await pendingPromotion(join(fixture.folder, 'template.git'));
  const team = await Team.create(fixture, { name: tenantName('shop'), template: path, environments });
  await team.connect();
  await team.createStrategy();
  await fixture.fleet.start();
  await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);
}, 2 * timeoutMs);
afterAll(() => fixture.close());

/** Returns the name and the type of each metric in the tables of docs/promoter.md. */
async function documentedMetrics(): Promise<RegExpMatchArray[]> {
  const page = await readFile(new URL('../../docs/promoter.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| `([a-z_]+)` +\| (counter|gauge|histogram|summary) /gm)];
}

/** Returns whether a metric has a sample. For a metric without samples, a process serves only the type. */
function hasSample(metrics: string, name: string): boolean {
  return new RegExp(`^${name}(?:_count)?(?:\\{[^}]*\\})? \\S+$`, 'm').test(metrics);
}

test(
  'every metric of docs/promoter.md has a sample after a promotion',
  async () => {
    const { embedded } = fixture.platform.cluster;
    /* A watch is counted after its end. */
    embedded?.faults.cut(({ info }) => info.verb === 'watch');
    const names = (await documentedMetrics()).map(([, name = '']) => name);
    const ofWatches = (name: string): boolean => embedded === undefined && name.includes('watch');
    await eventually(async () => {
      const metrics = await fixture.fleet.metrics('promoter');
      expect(names.filter((name) => !hasSample(metrics, name) && !ofWatches(name))).toEqual([]);
    }, timeoutMs);
  },
  2 * timeoutMs,
);

test.each(apps)(
  '%s counts its requests to the API server and the lists of its caches',
  async (app) => {
    await eventually(async () => {
      const metrics = await fixture.fleet.metrics(app);
      expect(sum(metrics, 'rest_client_requests_total')).toBeGreaterThan(0);
      expect(sum(metrics, 'rest_client_request_duration_seconds_count')).toBeGreaterThan(0);
      expect(sum(metrics, 'reflector_lists_total')).toBeGreaterThan(0);
    }, timeoutMs);
  },
  2 * timeoutMs,
);

test.each(apps)('the liveness probe of %s includes its workers', async (app) => {
  const report = '[+]workers ok\ncheck passed\n';
  await eventually(async () => expect(await fixture.fleet.liveness(app)).toBe(report), timeoutMs);
});

test('docs/promoter.md contains exactly the metrics that the promoter serves, with their types', async () => {
  const documented = await documentedMetrics();
  const served = [...(await fixture.fleet.metrics('promoter')).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  /* Metrics of the Node.js process do not belong to the promoter. */
  const own = served.filter(([, name = '']) => !/^(nodejs|process)_/.test(name));
  const lines = (matches: RegExpMatchArray[]) => matches.map(([, name, type]) => `${name} ${type}`).sort();
  expect(lines(documented)).toEqual(lines(own));
  expect(own.length).toBeLessThan(served.length);
});

test('the responder serves the metrics of docs/gitops-responder.md', async () => {
  await eventually(
    async () => expect(await fixture.fleet.metrics('gitops-responder')).toBeTruthy(),
    timeoutMs,
  );
  const prefix = 'ugallu_gitops_responder_';
  const served = [...(await fixture.fleet.metrics('gitops-responder')).matchAll(/^# TYPE (\S+) \S+$/gm)];
  const own = served.map(([, name = '']) => name).filter((name) => name.startsWith(prefix));
  const ofThePage = ['dispatches_total', 'attempts_total', 'routing_misses_total'];
  expect(own).toEqual(expect.arrayContaining(ofThePage.map((name) => `${prefix}${name}`)));
  const page = await readFile(new URL('../../docs/gitops-responder.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| metric `ugallu_gitops_responder_…`([^]*?)\n\n/.exec(page) ?? [];
  const documented = [...table.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name = '']) => `${prefix}${name}`);
  expect(documented.sort()).toEqual(own.sort());
});
