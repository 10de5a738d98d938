import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { badChange, becomes, createRevert, getRevert } from './harness/reverts.js';
import { World } from './harness/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterEach(() => world.platform.forge.faults.clear());
afterAll(() => world.close());

const push = { api: 'git', path: '*/git-receive-pack' } as const;
const open = { method: 'POST', route: '/repos/{owner}/{repo}/pulls' } as const;
const merge = { method: 'PUT', route: '/repos/{owner}/{repo}/pulls/{pull_number}/merge' } as const;

describe('a revert that is interrupted', () => {
  const calls = [
    { name: 'the push of the commit', match: push },
    { name: 'the opening of the pull request', match: open },
    { name: 'the merge', match: merge },
  ];
  const moments = [
    { moment: 'before', effect: { cutBeforeResponse: true } },
    { moment: 'after', effect: { cutAfterEffect: true } },
  ];
  const cases = calls.flatMap((call) => moments.map((moment) => ({ ...call, ...moment })));

  it.each(cases)('$moment $name comes to the same, once', async ({ match, effect }) => {
    const { team, unwanted, wanted } = await badChange(world);
    const pulls = (await team.pulls('test')).length;
    await world.rest();
    let restarted: Promise<void> | undefined;
    const fault = world.platform.forge.faults.add({
      match,
      ...effect,
      onHit: () => void (restarted ??= world.restart()),
    });
    await createRevert(team, { mode: 'Auto' });
    await eventually(() => expect(fault.hits).toBe(1));
    await restarted;
    await becomes(team, 'Merged');
    await world.rest();

    const merged = await team.tip('test');
    const { revertSHA, branch } = (await getRevert(team)).status ?? {};
    expect(await team.tree(merged)).toBe(wanted);
    expect(await team.local.git(['show', '-s', '--format=%P', merged])).toBe(
      `${unwanted} ${revertSHA ?? ''}`,
    );
    expect(await team.tip(branch ?? '')).toBe(revertSHA);
    expect(await team.local.lines(['rev-list', `${unwanted}..${branch ?? ''}`])).toEqual([revertSHA]);
    expect(await team.pulls('test')).toHaveLength(pulls + 1);
    const refs = await team.local.lines(['for-each-ref', '--format=%(refname)', 'refs/heads/interlock/']);
    expect(refs).toEqual([`refs/heads/${branch ?? ''}`]);
  });
});
