import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RepositoryHandle } from '@interlock/forge';
import { eventually } from '@interlock/kube/testing';
import type { ScmAccess } from '@interlock/stack';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/**
 * Returns the access to a repository as a folder: no request of the promoter reaches the forge that created the folder.
 */
function inFolder({ path, name }: RepositoryHandle): ScmAccess {
  return {
    scm: 'local',
    provider: { path: dirname(path) },
    repository: { name },
    secret: {},
  };
}

interface PullRecord {
  base: string;
  state: string;
  title: string;
  mergedBy?: string;
  closedBy?: string;
}

async function records(team: Team): Promise<(PullRecord & { ref: string })[]> {
  const refs = await team.local.lines(['for-each-ref', '--format=%(refname)', 'refs/interlock/pulls/']);
  const texts = refs
    .filter((ref) => ref !== '')
    .map(async (ref) => {
      const text = await team.local.git(['cat-file', 'blob', ref]);
      return { ref, ...(JSON.parse(text) as PullRecord) };
    });
  return Promise.all(texts);
}

async function recordOf(team: Team, base: string): Promise<PullRecord & { ref: string }> {
  const found = (await records(team)).filter((record) => record.base === base);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} pull requests into ${base}`);
  return only;
}

describe('in a folder of bare repositories', () => {
  it('promotes a change from environment to environment without a server', async () => {
    const environments = ['dev', 'test', 'prod'];
    const team = await fixture.team({ access: inFolder });
    const { seq } = fixture.platform.forge.journal;
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    for (const branch of environments) {
      await team.report('health', await team.runs(branch, drySHA), 'success');
    }
    await eventually(async () => {
      expect(conditionOf(await team.strategy(), 'Promoted')).toMatchObject({ reason: 'UpToDate' });
    });
    await fixture.rest();
    for (const branch of environments) {
      expect(await recordOf(team, branch)).toMatchObject({
        state: 'merged',
        title: `Promote ${drySHA.slice(0, 7)} to ${branch}`,
        mergedBy: 'interlock',
      });
      const merged = await team.tip(branch);
      expect(await team.tree(merged)).toBe(await team.tree(hydrated[branch] ?? ''));
      expect(await team.trailers(merged)).toMatchObject({ 'Sha-dry-proposed': drySHA });
    }
    expect(fixture.platform.forge.journal.entries({ since: seq })).toEqual([]);
  });

  it('adopts a merge that was pushed and a close that was recorded in a reference, even across a restart', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'], access: inFolder });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    const test = await eventually(() => recordOf(team, 'test'));
    await eventually(() => recordOf(team, 'dev'));
    await fixture.rest();

    const tip = hydrated['dev'] ?? '';
    const tree = await team.tree(tip);
    const parents = ['-p', await team.tip('dev'), '-p', tip];
    const merge = await team.local.git(['commit-tree', tree, ...parents, '-m', 'by hand']);
    await team.local.git(['update-ref', 'refs/heads/dev', merge]);
    const close = test.ref.replace('/pulls/', '/close/');
    await team.local.git(['update-ref', close, hydrated['test'] ?? '']);
    await team.refresh();
    await team.runs('dev', drySHA);
    await eventually(async () => {
      expect((await team.pullRequest('dev')).status).toMatchObject({ state: 'merged' });
    });
    // Nothing reports a closed one: it is found at the next read.
    fixture.clock.forward(5 * 60_000);
    await team.waitsFor('test', 'Rejected');
    await fixture.restart();
    expect(await records(team)).toHaveLength(2);
    expect(await recordOf(team, 'test')).toMatchObject({ state: 'closed' });
    expect(await recordOf(team, 'dev')).toMatchObject({ state: 'merged' });
  });
});

describe('a dry run', () => {
  it('reports what it would do, and changes nothing', async () => {
    const reader = await fixture.platform.forge.createUser({ login: 'reader' });
    const team = await fixture.team({
      environments: ['dev'],
      access: ({ cloneUrl, fullName }) => {
        const [owner = '', name = ''] = fullName.split('/');
        void fixture.platform.forge.grant({ owner, name, login: reader.login, role: 'read' });
        return {
          scm: 'noop',
          provider: { domain: new URL(cloneUrl).origin },
          repository: { url: cloneUrl },
          secret: { token: reader.token },
        };
      },
    });
    const before = await team.local.lines(['for-each-ref']);
    await team.applyStrategy();
    await eventually(() => team.environment('dev'));
    expect(await team.local.lines(['for-each-ref'])).toEqual(before);
    const { drySHA } = await team.propose();
    const proposed = await team.local.lines(['for-each-ref']);
    await team.refresh();
    await eventually(async () => {
      expect(conditionOf(await team.pullRequest('dev'), 'Ready')).toMatchObject({
        status: 'False',
        reason: 'DryRun',
        message: expect.stringContaining(
          `would open a pull request from dev-next to dev: Promote ${drySHA.slice(0, 7)} to dev`,
        ),
      });
    });
    await fixture.rest();
    expect(await team.local.lines(['for-each-ref'])).toEqual(proposed);
    expect(await team.pulls('dev')).toEqual([]);
    const { entries } = fixture.platform.forge.journal;
    expect(entries.call(fixture.platform.forge.journal, { actor: reader.login, kind: 'write' })).toEqual([]);
  });
});
