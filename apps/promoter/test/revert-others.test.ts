import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { badChange, becomes, createRevert, getRevert, waitsFor } from './harness/reverts.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

describe('two reverts of one environment', () => {
  it('have separate branches, and when one is merged, the other has nothing left to do', async () => {
    const { team, unwanted, wanted } = await badChange(fixture);
    await Promise.all(['one', 'two'].map((name) => createRevert(team, {}, name)));
    const pulls = await eventually(async () => {
      const open = (await team.pulls('test')).filter(({ state }) => state === 'open');
      expect(open).toHaveLength(2);
      return open;
    });
    const branches = await Promise.all(
      ['one', 'two'].map(async (name) => (await becomes(team, 'Open', name)).branch ?? ''),
    );
    const plain = `interlock/revert/test-${unwanted.slice(0, 7)}`;
    expect(branches.sort()).toEqual([plain, expect.stringMatching(new RegExp(`^${plain}-[0-9a-f]{8}$`))]);
    for (const branch of branches) expect(await team.tree(await team.tip(branch))).toBe(wanted);

    await fixture.user.merge(team.repository.fullName, pulls[0]?.number ?? 0);
    for (const name of ['one', 'two'])
      expect(await becomes(team, 'Merged', name)).toMatchObject({ inForce: true });
    await eventually(async () => expect(team.openPull('test')).rejects.toThrow('0 open'));
    await fixture.rest();
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
    const made = await team.local.lines(['rev-list', '--first-parent', `${unwanted}..test`]);
    expect(made).toHaveLength(1);
  });

  it('revert the environment once when they are merged automatically', async () => {
    const { team, unwanted, wanted } = await badChange(fixture);
    await Promise.all(['one', 'two'].map((name) => createRevert(team, { mode: 'Auto' }, name)));
    for (const name of ['one', 'two']) await becomes(team, 'Merged', name);
    await fixture.rest();
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
    const made = await team.local.lines(['rev-list', '--first-parent', `${unwanted}..test`]);
    expect(made).toHaveLength(1);
    await eventually(async () => expect(team.openPull('test')).rejects.toThrow('0 open'));
  });
});

describe('the later environments', () => {
  it('do not receive a commit that is about to be reverted, even if an active commit has no checks', async () => {
    const team = await fixture.team({ environments: ['test', 'prod'], webhooks: true });
    const spec = (hold?: { reason: string }) => ({
      environments: [{ branch: 'test' }, { branch: 'prod', ...(hold && { hold }) }],
    });
    await team.applyStrategy(spec({ reason: 'not yet' }));
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.runs('test', drySHA);
    await eventually(async () => {
      expect(await team.check('prod', 'NotHeld')).toMatchObject({ reason: 'Held' });
      expect(await team.check('prod', 'Order')).toMatchObject({ state: 'success' });
    });
    const before = await team.tip('prod');
    await createRevert(team, { hydratedSHA: await team.local.git(['rev-parse', 'test~1']) });
    await waitsFor(team, 'WaitingForPerson');
    await team.applyStrategy(spec());
    const { message } = await eventually(async () => {
      const check = await team.check('prod', 'NotHeld');
      expect(check).toMatchObject({ state: 'pending', reason: 'Reverted' });
      return check;
    });
    expect(message).toContain('rejected in test by RevertCommit back');
    await fixture.rest();
    expect(await team.tip('prod')).toBe(before);

    const { number } = await team.openPull('test');
    await fixture.user.close(team.repository.fullName, number);
    await becomes(team, 'Rejected');
    await team.runs('prod', drySHA);
  });
});

describe('manual commits', () => {
  it('made before the revert are reverted, even under the drift policy Block', async () => {
    const { team, bad, unwanted, wanted } = await badChange(fixture, { driftPolicy: 'Block' });
    const fix = await team.amend('test', { 'hotfix.yaml': 'a: b\n' });
    await team.refreshAndRest();
    await createRevert(team, { mode: 'Auto' });
    expect(await becomes(team, 'Merged')).toMatchObject({ revertOf: fix, rejectedDrySHA: bad.drySHA });
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
    expect(await team.local.git(['merge-base', unwanted, 'test'])).toBe(unwanted);
  });

  it('made after the revert are not reverted under the drift policy Block', async () => {
    const { team, wanted } = await badChange(fixture, { driftPolicy: 'Block' });
    await createRevert(team);
    await waitsFor(team, 'WaitingForPerson');
    const fix = await team.amend('test', { 'hotfix.yaml': 'a: b\n' });
    await team.refresh();
    expect((await waitsFor(team, 'Drifted')).message).toContain(fix.slice(0, 7));
    await fixture.rest();
    expect(await team.tip('test')).toBe(fix);
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }], driftPolicy: 'Overwrite' });
    const { status } = await getRevert(team);
    await waitsFor(team, 'WaitingForPerson');
    expect(status?.state).toBe('Open');
    await fixture.user.merge(team.repository.fullName, (await team.openPull('test')).number);
    await becomes(team, 'Merged');
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
  });
});
