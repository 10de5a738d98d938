import { describe, expect, it } from '@jest/globals';
import { keyString, ProposedCommit } from '@interlock/api';
import { Event } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Proposes a change, and waits until dev runs it with the proposed tree. */
async function promotesExactly(team: Team): Promise<void> {
  const { drySHA, hydrated } = await team.propose();
  await team.refresh();
  const merged = await team.runs('dev', drySHA);
  expect(await team.tree(merged)).toBe(await team.tree(hydrated['dev'] ?? ''));
}

describe('an environment that was changed outside its proposed branch', () => {
  it.each([
    { what: 'in the same lines', files: { 'manifest.yaml': 'environment: fixed by hand\n' } },
    { what: 'in a separate file', files: { 'hotfix.yaml': 'a: b\n' } },
  ])('gets exactly the proposed content: $what', async ({ files }) => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    const fix = await team.amend('dev', files);
    const { drySHA, hydrated } = await team.propose();
    const proposed = hydrated['dev'] ?? '';
    await team.refresh();
    const aligned = await eventually(async () => {
      const { headSHA } = await team.openPull('dev');
      expect(headSHA).not.toBe(proposed);
      return headSHA;
    });
    const { local } = team;
    expect(await local.git(['show', '-s', '--format=%P', aligned])).toBe(`${proposed} ${fix}`);
    expect(await team.tip('dev-next')).toBe(aligned);
    expect(await team.tree(aligned)).toBe(await team.tree(proposed));
    expect(await team.trailers(aligned)).toEqual({
      'Sha-dry-proposed': drySHA,
      'Sha-hydrated-proposed': proposed,
      'Sha-hydrated-active': fix,
    });
    await eventually(async () => {
      const { items } = await fixture.platform.client.list(Event, { namespace: team.namespace });
      const { metadata } = await team.proposedCommit('dev');
      expect(items).toContainEqual(
        expect.objectContaining({
          reason: 'ConflictResolved',
          regarding: expect.objectContaining({ kind: ProposedCommit.kind, uid: metadata.uid }),
        }),
      );
      expect(keyString(metadata)).toBe(`${team.namespace}/app-dev`);
    });
    expect(team.mergeRequests()).toEqual([]);

    await team.report('lint', aligned, 'success');
    await team.runs('dev', drySHA);
    await fixture.rest();
    expect(await team.tree(await team.tip('dev'))).toBe(await team.tree(proposed));
    expect(await team.tip('dev-next')).toBe(aligned);
    expect(await team.pulls('dev')).toHaveLength(1);
  });

  it('gets the proposed content even from a branch with an unrelated history', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy();
    await team.local.git(['update-ref', '-d', 'refs/heads/dev-next']);
    await promotesExactly(team);
  });

  it('does not receive a commit again after a user reverted it, until a new commit is proposed', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy();
    const before = await team.tip('dev');
    const bad = await team.propose();
    await team.refresh();
    await team.runs('dev', bad.drySHA);
    const kept = await team.tree(before);
    const args = ['commit-tree', kept, '-p', 'refs/heads/dev', '-m', 'Revert "a change"'];
    const back = await team.local.git(args);
    await team.local.git(['update-ref', 'refs/heads/dev', back]);
    await team.refreshAndRest();
    await team.refreshAndRest();
    expect(await team.tip('dev')).toBe(back);
    expect(await team.pulls('dev')).toHaveLength(1);
    expect(conditionOf(await team.proposedCommit('dev'), 'Drifted').message).toContain(back.slice(0, 7));

    await promotesExactly(team);
  });

  it('is not changed while nothing new is proposed', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy();
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.runs('dev', drySHA);
    const proposed = await team.tip('dev-next');
    const fix = await team.amend('dev', { 'hotfix.yaml': 'a: b\n' });
    await team.refreshAndRest();
    expect(await team.tip('dev')).toBe(fix);
    expect(await team.tip('dev-next')).toBe(proposed);
    expect(await team.pulls('dev')).toHaveLength(1);
  });
});

describe('an environment whose pull requests are squashed', () => {
  it('receives several changes one after another', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy({ pullRequest: { mergeMethod: 'squash' } });
    for (let change = 0; change < 2; change++) {
      const { drySHA, hydrated } = await team.propose();
      await team.refresh();
      for (const branch of ['dev', 'test']) {
        const merged = await team.runs(branch, drySHA);
        expect(await team.tree(merged)).toBe(await team.tree(hydrated[branch] ?? ''));
        expect(await team.local.lines(['show', '-s', '--format=%P', merged])).toHaveLength(1);
        expect((await team.trailers(merged))['Sha-dry-proposed']).toBe(drySHA);
      }
    }
    await fixture.rest();
    expect(await team.pulls('test')).toHaveLength(2);
  });
});
