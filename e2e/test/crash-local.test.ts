import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PromotionStrategy } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { createAccess, ensureNamespace, LocalRepository, repositoryName } from '@interlock/stack';
import { isLongRun } from './support/crash-points.js';
import { KillingGit } from './support/killing-git.js';
import { environments, pendingPromotion, type Template } from './support/promotion-scenario.js';
import { tenantName } from './support/test-cluster.js';
import { startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 600_000;
let fixture: Fixture;
let git: KillingGit;
let folder: string;
let template: Template;
/** Number of starts of the promoter. */
let starts = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-local-'));
  const [programs, root] = [join(folder, 'programs'), join(folder, 'root')];
  for (const path of [programs, root]) await mkdir(path);
  git = await KillingGit.create(programs);
  await git.arm('nothing');
  const args = ['--leader-elect=false', `--local-repositories=${root}`];
  const env = { PATH: `${programs}:${process.env['PATH'] ?? ''}` };
  fixture = await startFixture({ fleet: { args: { promoter: args }, env } });
  template = await pendingPromotion(join(folder, 'template.git'));
}, timeoutMs);

afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

/** Promotes a change in a new repository, and restarts the promoter after it was killed. */
async function promote(namespace: string, point?: string): Promise<number> {
  const { client } = fixture.platform;
  const path = join(folder, 'root', namespace, 'deployments.git');
  await cp(template.path, path, { recursive: true });
  await git.arm(path, point);
  await ensureNamespace(client, namespace);
  const access = {
    scm: 'local',
    provider: { path: join(folder, 'root', namespace) },
    repository: { name: 'deployments' },
    secret: {},
  } as const;
  await createAccess(client, { namespace, access, webhookSecret: 'unused' });
  await client.create(PromotionStrategy, {
    metadata: { namespace, name: 'shop' },
    spec: {
      repoRef: { name: repositoryName },
      dryBranch: 'main',
      environments: environments.map((branch) => ({ branch })),
    },
  });
  const { promoter } = fixture.fleet.processes;
  await eventually(async () => {
    if (!promoter.running) {
      promoter.start();
      starts += 1;
    }
    const { status } = await client.get(PromotionStrategy, { namespace, name: 'shop' });
    const running = environments.map(
      (branch) => status?.environments?.find((one) => one.branch === branch)?.active?.drySHA,
    );
    expect(running).toEqual(environments.map(() => template.drySHA));
  });
  const local = new LocalRepository(path);
  for (const branch of environments) {
    const before = await local.git(['--git-dir', template.path, 'rev-parse', `refs/heads/${branch}`]);
    expect(await local.lines(['rev-list', '--first-parent', `${before}..refs/heads/${branch}`])).toHaveLength(
      1,
    );
  }
  const pulls = await local.lines(['for-each-ref', '--format=%(refname)', 'refs/interlock/pulls/']);
  expect(pulls).toHaveLength(environments.length);
  return git.seen();
}

/**
 * Returns the moments at which the promoter is killed at one of the changes. Without the long run, that is both at the
 * first change, which opens a pull request, and at the last one, which merges one, and alternately one between them.
 */
function momentsOf(change: number, changes: number): ('before' | 'after')[] {
  if (isLongRun || change === 1 || change === changes) return ['before', 'after'];
  return change % 2 === 1 ? ['before'] : ['after'];
}

test(
  'the promoter promotes once when it is killed before and after every change to a repository on disk',
  async () => {
    const changes = await promote(tenantName('whole'));
    /* Each pull request is opened and merged. Whether a text changes in between depends on the timing. */
    const certain = 2 * environments.length;
    expect(changes).toBeGreaterThanOrEqual(certain);
    let kills = 0;
    let expected = 0;
    for (let change = 1; change <= changes; change++) {
      for (const moment of momentsOf(change, changes)) {
        await promote(tenantName(`${moment}-${change}`), `${change} ${moment}`);
        kills += git.killed() ? 1 : 0;
        expected += change <= certain ? 1 : 0;
      }
    }
    expect(kills).toBeGreaterThanOrEqual(expected);
    expect(starts).toBe(1 + kills);
  },
  timeoutMs,
);
