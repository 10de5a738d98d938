import { describe, expect, it } from '@jest/globals';
import { Event } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Promotes a change, then commits to the environment branch by hand. Returns the commit. */
async function drift(
  team: Team,
  driftPolicy: 'Overwrite' | 'Block' | 'Adopt',
  files: Record<string, string> = { 'hotfix.yaml': 'a: b\n' },
): Promise<string> {
  await team.applyStrategy({ driftPolicy });
  await promote(team);
  return team.amend('dev', files);
}

async function promote(team: Team): Promise<string> {
  const { drySHA } = await team.propose();
  await team.refresh();
  return team.runs('dev', drySHA);
}

const drifted = async (team: Team) => conditionOf(await team.proposedCommit('dev'), 'Drifted');

describe('a commit on an environment branch that was not made by a promotion', () => {
  it('is shown, and is overwritten by default, with an event that names it', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const fix = await drift(team, 'Overwrite');
    await team.refreshAndRest();
    const { status, message } = await drifted(team);
    expect(status).toBe('True');
    expect(message).toContain(`${fix.slice(0, 7)} "hotfix"`);

    const merged = await promote(team);
    expect(await team.files(merged)).not.toContain('hotfix.yaml');
    await eventually(async () => {
      const { items } = await fixture.platform.client.list(Event, { namespace: team.namespace });
      const notes = items.filter(({ reason }) => reason === 'ConflictResolved').map(({ note }) => note);
      expect(notes).toEqual([expect.stringContaining(`${fix.slice(0, 7)} "hotfix"`)]);
    });
    await fixture.rest();
    await expect(drifted(team)).rejects.toThrow('no condition');
  });

  it('blocks promotions under Block, until it is reverted', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const fix = await drift(team, 'Block');
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.waitsFor('dev', 'InProgress');
    expect(await team.check('dev', 'NotHeld')).toMatchObject({ state: 'pending', reason: 'Drifted' });
    await eventually(async () => {
      expect((await team.openPull('dev')).body).toContain(`${fix.slice(0, 7)} "hotfix"`);
    });
    expect(await team.tip('dev')).toBe(fix);

    await team.local.git(['update-ref', 'refs/heads/dev', `${fix}~1`]);
    await team.refresh();
    await team.runs('dev', drySHA);
  });

  it('is kept by all promotions under Adopt', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await drift(team, 'Adopt');
    for (let change = 0; change < 2; change++) {
      expect(await team.files(await promote(team))).toContain('hotfix.yaml');
    }
    await fixture.rest();
    await expect(drifted(team)).rejects.toThrow('no condition');
  });

  it('that conflicts with the proposed commit is neither adopted nor lost', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const fix = await drift(team, 'Adopt', { 'manifest.yaml': 'environment: fixed by hand\n' });
    await team.propose();
    await team.refresh();
    expect((await team.waitsFor('dev', 'DriftConflict')).message).toContain(fix.slice(0, 7));
    expect(await team.tip('dev')).toBe(fix);
  });
});

describe('an environment branch that was reset by force', () => {
  it('has drifted until the merge is restored or a new commit is proposed', async () => {
    const team = await fixture.team({ environments: ['dev'], webhooks: true });
    await team.applyStrategy();
    await promote(team);
    const merged = await promote(team);
    await team.refreshAndRest();
    const pulls = await team.pulls('dev');
    await team.local.git(['update-ref', 'refs/heads/dev', `${merged}~1`]);
    await team.refreshAndRest();
    expect(await team.waitsFor('dev', 'SetBack')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(`push ${merged.slice(0, 7)} to dev again`),
    });
    expect(await drifted(team)).toMatchObject({ status: 'True', reason: 'SetBack' });
    await fixture.restart();
    await team.refreshAndRest();
    expect(await drifted(team)).toMatchObject({ status: 'True', reason: 'SetBack' });
    expect(await team.pulls('dev')).toHaveLength(pulls.length);

    await team.local.git(['update-ref', 'refs/heads/dev', merged]);
    await team.refreshAndRest();
    expect(conditionOf(await team.proposedCommit('dev'), 'Promoted')).toMatchObject({ status: 'True' });
    await expect(drifted(team)).rejects.toThrow('no condition');

    await team.local.git(['update-ref', 'refs/heads/dev', `${merged}~1`]);
    await team.refreshAndRest();
    await team.waitsFor('dev', 'SetBack');
    const next = await promote(team);
    await fixture.rest();
    expect(await team.tree(next)).toBe(await team.tree(await team.tip('dev-next')));
    await expect(drifted(team)).rejects.toThrow('no condition');
  });
});

describe('a hotfix after a squashed promotion', () => {
  it('is shown, and not changed while nothing new is proposed', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy({ pullRequest: { mergeMethod: 'squash' } });
    await promote(team);
    const fix = await team.amend('dev', { 'hotfix.yaml': 'a: b\n' });
    await team.refreshAndRest();
    await team.refreshAndRest();
    expect((await drifted(team)).message).toContain(fix.slice(0, 7));
    expect(await team.tip('dev')).toBe(fix);
    expect(await team.pulls('dev')).toHaveLength(1);
    expect(await team.files(await promote(team))).not.toContain('hotfix.yaml');
  });
});
