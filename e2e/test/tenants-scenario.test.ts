import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { processesWith, run } from './support/program.js';
import { needsEmbedded } from './support/test-cluster.js';

const timeoutMs = 420_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'interlock-e2e-tenants-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns the cells of the rows below a title, until an empty line. Cells are separated by two or more spaces. */
function tableBelow(printed: string, title: RegExp): string[][] {
  const lines = printed.split('\n');
  const start = lines.findIndex((line) => title.test(line));
  expect(start).toBeGreaterThanOrEqual(0);
  return lines.slice(start + 1, lines.indexOf('', start)).map((line) => line.split(/ {2,}/));
}

needsEmbedded('controllers, proxies and workers of tenants are pods of the apps', () => {
  test(
    'npm start -- --scenario tenants --once isolates two tenants, rotates the credential of one and deletes the other',
    async () => {
      const command = ['tools/stack/start.mjs', '--scenario', 'tenants', '--once'];
      const env = { TMPDIR: folder };
      const { code, stdout, stderr } = await run(process.execPath, command, { env, timeoutMs });
      expect({ code, stderr, problems: stdout.match(/^(PROBLEM|FAILED).*/gm) }).toEqual({
        ...{ code: 0, stderr: '', problems: null },
      });
      const reach = tableBelow(stdout, /^tenant +target +address +is up +through the proxy of the tenant$/);
      expect(reach.map(([tenant, what, , isUp, answer]) => [tenant, what, isUp, answer])).toEqual(
        ['team-a', 'team-b'].flatMap((tenant) => [
          [tenant, 'GitHub', 'yes', '200'],
          [tenant, 'another server', 'yes', '403 HostNotAllowed'],
          [tenant, 'the API server', 'yes', '403 PortNotAllowed'],
        ]),
      );
      const jobs = tableBelow(stdout, /^tenant +job +queued .* address at GitHub +outcome$/);
      const addressesOf = (tenant: string): Set<string | undefined> =>
        new Set(jobs.filter(([owner]) => owner === tenant).map((cells) => cells.at(-2)));
      expect(new Set(jobs.map((cells) => cells.at(-1)))).toEqual(new Set(['success']));
      const addresses = [...addressesOf('team-a'), ...addressesOf('team-b')];
      expect(new Set(addresses).size).toBe(addresses.length);
      expect(stdout).toMatch(/team-a: changes gitHubAppRef\.name to github-app-2; running jobs: [1-9]/);
      expect(stdout).toMatch(
        /team-b: deleting its gateway; runners at GitHub: [1-9]\d*, running jobs .*: [1-9]/,
      );
      expect(stdout).toContain('team-b: its gateway is deleted; runners at GitHub: 0\n');
      const tenants = tableBelow(
        stdout,
        /^tenant +jobs +succeeded +requests +through its proxy +in the end$/,
      );
      expect(tenants.map(([tenant, , , , , end]) => [tenant, end])).toEqual([
        ['team-a', 'has another credential'],
        ['team-b', 'deleted'],
      ]);
      for (const [tenant, count, succeeded, requests, proxied] of tenants) {
        expect({ tenant, succeeded, proxied }).toEqual({ tenant, succeeded: count, proxied: requests });
      }
      expect(await processesWith(folder)).toEqual([]);
      expect((await readdir(folder)).filter((name) => name.startsWith('interlock-'))).toEqual([]);
    },
    timeoutMs,
  );
});
