import { describe, expect, it } from '@jest/globals';
import { RevertCommit } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { badChange, becomes, createRevert, getRevert, healthy, waitsFor } from './harness/reverts.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

const hour = 3_600_000;

describe('a revert that is merged', () => {
  it('restores the earlier content of the environment, and later commits continue from there', async () => {
    const { team, good, bad, unwanted, wanted } = await badChange(fixture, {}, ['dev', 'test', 'prod']);
    await createRevert(team, { mode: 'Auto', reason: 'it does not start' });
    const status = await becomes(team, 'Merged');
    const merged = await team.tip('test');
    const branch = `interlock/revert/test-${unwanted.slice(0, 7)}`;
    const revert = await team.tip(branch);
    expect(status).toMatchObject({
      target: { drySHA: good.drySHA, treeSHA: wanted },
      revertOf: unwanted,
      rejectedDrySHA: bad.drySHA,
      revertSHA: revert,
      branch,
      pullRequest: expect.stringContaining('/pull/'),
      inForce: true,
    });
    expect([await team.tree(revert), await team.tree(merged)]).toEqual([wanted, wanted]);
    expect(await team.local.git(['show', '-s', '--format=%P', revert])).toBe(unwanted);
    expect(await team.local.git(['show', '-s', '--format=%P', merged])).toBe(`${unwanted} ${revert}`);
    expect(await team.trailers(merged)).toMatchObject({
      'Sha-dry-active': bad.drySHA,
      'Sha-dry-proposed': good.drySHA,
      'Sha-hydrated-proposed': revert,
      'Revert-of': unwanted,
      'Revert-to': status.target?.hydratedSHA,
      'Revert-reason': 'it does not start',
    });

    await team.report('health', merged, 'success');
    await eventually(async () => {
      expect(await team.environment('test')).toMatchObject({
        active: { drySHA: good.drySHA, hydratedSHA: merged },
        lastHealthyDrySHAs: [{ sha: good.drySHA, hydratedSHA: merged, treeSHA: wanted }],
      });
      expect(await team.check('test', 'NotHeld')).toMatchObject({ state: 'pending', reason: 'Reverted' });
      expect(await team.check('prod', 'Order')).toMatchObject({ reason: 'WaitingForEnvironment' });
      expect((await team.promotionStatus('test')).spec).toMatchObject({ phase: 'in_progress' });
    });
    await fixture.rest();
    expect(await team.tip('test')).toBe(merged);

    const next = await team.propose();
    await team.refresh();
    for (const one of ['dev', 'test', 'prod']) await healthy(team, one, next.drySHA);
    const healed = await team.tip('test');
    expect(await team.tree(healed)).toBe(await team.tree(next.hydrated['test'] ?? ''));
    expect(await team.trailers(healed)).not.toHaveProperty('Revert-of');
    await eventually(async () =>
      expect((await getRevert(team)).status).toMatchObject({ state: 'Merged', inForce: false }),
    );
    const ran = await team.local.lines([
      'log',
      '--first-parent',
      '--format=%(trailers:key=Sha-dry-proposed,valueonly,separator=%x2C)',
      'prod',
    ]);
    expect(ran).not.toContain(bad.drySHA);
  });

  it('may be merged by a user, with any message', async () => {
    const { team, good, wanted } = await badChange(fixture);
    await createRevert(team);
    expect((await waitsFor(team, 'WaitingForPerson')).message).toContain('/pull/');
    await fixture.rest();
    const { number, title } = await team.openPull('test');
    expect(title).toBe(`Revert test to ${good.drySHA.slice(0, 7)}`);
    expect(team.mergeRequests()).not.toContain(number);
    await fixture.user.merge(team.repository.fullName, number);
    expect(await becomes(team, 'Merged')).toMatchObject({ inForce: true });
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
    await eventually(async () => {
      expect((await team.environment('test')).active?.drySHA).toBe(good.drySHA);
      expect(await team.check('test', 'NotHeld')).toMatchObject({ reason: 'Reverted' });
    });
  });

  it('holds the rejected dry commit even when it is hydrated again', async () => {
    const { team, bad, wanted } = await badChange(fixture);
    await createRevert(team, { mode: 'Auto' });
    await becomes(team, 'Merged');
    const again = await team.hydrate('test', bad.drySHA, { 'manifest.yaml': 'again: true\n' });
    await team.refreshAndRest();
    await eventually(async () => {
      expect((await team.environment('test')).proposed?.hydratedSHA).toBe(again);
      expect(await team.check('test', 'NotHeld')).toMatchObject({ reason: 'Reverted' });
    });
    await fixture.rest();
    await expect(team.openPull('test')).rejects.toThrow('0 open');
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
  });

  it('releases the rejected dry commit when it is deleted', async () => {
    const { team, bad, wanted } = await badChange(fixture);
    await createRevert(team, { mode: 'Auto' });
    await becomes(team, 'Merged');
    await fixture.rest();
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
    await team.client.delete(RevertCommit, { namespace: team.namespace, name: 'back' });
    const again = await team.runs('test', bad.drySHA);
    expect(await team.tree(again)).toBe(await team.tree(bad.hydrated['test'] ?? ''));
  });

  it('releases the rejected dry commit when it expires', async () => {
    const { team, bad } = await badChange(fixture);
    const expiresAt = new Date(fixture.clock.now() + hour).toISOString();
    await createRevert(team, { mode: 'Auto', expiresAt });
    expect(await becomes(team, 'Merged')).toMatchObject({ inForce: true });
    await fixture.rest();
    fixture.clock.forward(hour + 1_000);
    await team.runs('test', bad.drySHA);
    expect((await getRevert(team)).status).toMatchObject({ state: 'Merged', inForce: false });
  });
});

describe('a revert that is not merged', () => {
  it('is rejected by the user who closes its pull request', async () => {
    const { team, bad } = await badChange(fixture);
    await createRevert(team);
    await waitsFor(team, 'WaitingForPerson');
    const { number } = await team.openPull('test');
    await fixture.user.close(team.repository.fullName, number);
    expect(await becomes(team, 'Rejected')).toMatchObject({ inForce: false });
    await fixture.rest();
    expect(await team.pulls('test')).toHaveLength(3);
    expect((await team.environment('test')).active?.drySHA).toBe(bad.drySHA);
  });

  it('is superseded by a newer dry commit, which does not wait for it', async () => {
    const { team } = await badChange(fixture);
    await createRevert(team);
    await waitsFor(team, 'WaitingForPerson');
    const { number } = await team.openPull('test');
    const next = await team.propose();
    await team.refresh();
    await team.runs('test', next.drySHA);
    expect(await becomes(team, 'Superseded')).toMatchObject({ inForce: false });
    await eventually(async () => {
      const pulls = await team.pulls('test');
      expect(pulls.find((pull) => pull.number === number)).toMatchObject({ state: 'closed', merged: false });
    });
  });

  it('continues on top of a hotfix of the same dry commit', async () => {
    const { team, bad, wanted, unwanted } = await badChange(fixture);
    await createRevert(team);
    await waitsFor(team, 'WaitingForPerson');
    const { number, headSHA } = await team.openPull('test');
    const metadata = await team.local.git(['show', `${unwanted}:hydrator.metadata`]);
    const hotfix = await team.commit('test', {
      'manifest.yaml': 'hot: fix\n',
      'hydrator.metadata': metadata,
    });
    await team.refresh();
    await eventually(async () => {
      const open = await team.openPull('test');
      expect(open.number).toBe(number);
      expect(open.headSHA).not.toBe(headSHA);
      expect(await team.local.git(['show', '-s', '--format=%P %T', open.headSHA])).toBe(
        `${hotfix} ${wanted}`,
      );
    });
    expect((await getRevert(team)).status).toMatchObject({ state: 'Open', rejectedDrySHA: bad.drySHA });
    await fixture.user.merge(team.repository.fullName, number);
    await becomes(team, 'Merged');
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
  });

  it('closes its pull request when it expires', async () => {
    const { team } = await badChange(fixture);
    const expiresAt = new Date(fixture.clock.now() + hour).toISOString();
    await createRevert(team, { expiresAt });
    await waitsFor(team, 'WaitingForPerson');
    await fixture.rest();
    fixture.clock.forward(hour + 1_000);
    expect(await becomes(team, 'Expired')).toMatchObject({ inForce: false });
    await eventually(async () => {
      await expect(team.openPull('test')).rejects.toThrow('0 open');
    });
  });

  it('closes its pull request when it is deleted', async () => {
    const { team } = await badChange(fixture);
    await createRevert(team);
    await waitsFor(team, 'WaitingForPerson');
    await team.client.delete(RevertCommit, { namespace: team.namespace, name: 'back' });
    await eventually(async () => {
      await expect(team.openPull('test')).rejects.toThrow('0 open');
    });
  });
});
