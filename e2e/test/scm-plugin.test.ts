import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { createAccess, ensureNamespace } from '@interlock/stack';
import { environments, pendingPromotion, promotedOnce } from './support/promotion-scenario.js';
import { root, run } from './support/program.js';
import { Team, webhookSecret } from './support/team.js';
import { tenantName } from './support/test-cluster.js';
import { startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
const plugin = 'my-forge';
const example = join(root, `docs/examples/scm-plugin/${plugin}.mjs`);
const args = ['--leader-elect=false', `--scm-plugin=${example}`];
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture({ fleet: { args: { promoter: args, 'commit-status-sync': args } } });
});
afterAll(() => fixture.close());

describe('a plugin that the bundles load', () => {
  test(
    'promotes, and reports statuses',
    async () => {
      const { forge, client } = fixture.platform;
      const { path, drySHA } = await pendingPromotion(join(fixture.folder, 'template.git'));
      const namespace = tenantName('shop');
      const team = await Team.create(fixture, { name: namespace, template: path, environments });
      const { owner, name, fullName } = team.repository;
      const { login, token } = await forge.createUser({ login: 'plugin' });
      await forge.grant({ owner, name, login, role: 'write' });
      await ensureNamespace(client, namespace);
      await createAccess(client, {
        namespace,
        webhookSecret,
        access: {
          scm: 'plugin',
          provider: { name: plugin, config: { server: forge.url } },
          repository: { name: plugin, config: { repository: fullName } },
          secret: { token },
        },
      });
      await fixture.fleet.start();
      await team.createStrategy();
      await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);
      expect(await promotedOnce(fixture, team, path, drySHA)).toEqual([]);
      await eventually(async () => {
        const { items } = await client.list(CommitStatus, { namespace });
        expect(items.length).toBeGreaterThan(0);
        for (const { status } of items) {
          expect(status?.plugin).toEqual({ [plugin]: { statusId: expect.any(Number) } });
        }
      }, timeoutMs);
      const writers = forge.journal.entries({ api: 'rest', kind: 'write' }).map(({ actor }) => actor);
      expect(new Set(writers)).toEqual(new Set([login]));
    },
    timeoutMs,
  );
});

describe('a module that is not a plugin', () => {
  test.each(['promoter', 'commit-status-sync'])('ends %s with the reason', async (app) => {
    const kubeconfig = join(fixture.folder, 'fleet', app, 'kubeconfig');
    const command = [join(root, `apps/${app}/dist/main.mjs`), '--metrics-bind-address=0'];
    const { code, stdout, stderr } = await run(process.execPath, [
      ...command,
      '--health-probe-bind-address=0',
      `--kubeconfig=${kubeconfig}`,
      '--scm-plugin=./package.json',
    ]);
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/--scm-plugin \.\/package\.json: .*ECMAScript module/);
  });
});
