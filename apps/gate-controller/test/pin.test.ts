import { describe, expect, it } from '@jest/globals';
import { annotations } from '@interlock/api';
import { commitOf, onMain, type HoldTeam } from './harness/hold-team.js';
import { useHoldFixture } from './harness/hold-fixture.js';

const fixture = useHoldFixture();

const pin = { targets: [{ kind: 'GitRepository' }], refs: [{ name: 'freeze' }], mode: 'Pin' };

const cve = { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '30m' };

function ref(team: HoldTeam, expected: object): Promise<unknown> {
  return team.seen('GitRepository', 'shop', ({ spec }) => expect(spec?.['ref']).toEqual(expected));
}

describe('mode Pin', () => {
  it('pins a source while the gate is closed, and removes the pin when it opens', async () => {
    const team = await fixture.boundShop(pin);
    await ref(team, { branch: 'main', commit: commitOf('a') });
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('a'), confirmed: true }),
    );
    team.push('shop', 'b');
    await fixture.gates.rest();
    await team.gate('freeze', false);
    await ref(team, { branch: 'main' });
    await team.has('GitRepository', 'shop', onMain('b'));
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a'), onMain('b')]);
  });

  it('lets through only the revision that an override names', async () => {
    const team = await fixture.boundShop(pin);
    await ref(team, { branch: 'main', commit: commitOf('a') });
    await team.confirmed('release', 'shop');
    team.push('shop', 'b');
    team.push('shop', 'c');
    team.push('shop', 'd');
    await team.override('cve', { ...cve, revisions: [commitOf('c')] });
    await team.has('GitRepository', 'shop', onMain('c'));
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('c'), confirmed: true }),
    );
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a'), onMain('c')]);
  });

  it('is required to let one revision through, which mode Suspend reports', async () => {
    const team = await fixture.boundShop({ ...pin, mode: 'Suspend' });
    await team.override('cve', { ...cve, revisions: [commitOf('c')] });
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ message: expect.stringContaining('mode Suspend cannot') }),
    );
    await team.suspended('GitRepository', 'shop');
  });

  it('suspends a source that its manifest pins, and keeps the pin of the manifest', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    const at = (letter: string) => ({
      url: team.url('shop'),
      ref: { branch: 'main', commit: commitOf(letter) },
    });
    await team.manifest('GitRepository', 'shop', at('a'));
    await team.gate('freeze', true);
    await team.bind('release', pin);
    await team.suspended('GitRepository', 'shop');
    await team.confirmed('release', 'shop');
    await team.manifest('GitRepository', 'shop', at('b'));
    await team.hold('release', 'shop', (hold) =>
      expect(hold).toMatchObject({ revision: onMain('a'), pending: commitOf('b') }),
    );
    await team.gate('freeze', false);
    await team.has('GitRepository', 'shop', onMain('b'));
    const { metadata, spec } = await team.object('GitRepository', 'shop');
    expect(spec?.['ref']).toEqual({ branch: 'main', commit: commitOf('b') });
    expect(metadata.annotations).toBeUndefined();
  });

  it('switches between pin and suspend in one write when another binding requires it', async () => {
    const team = await fixture.boundShop(pin);
    await team.gate('stop', false);
    await team.bind('hard', { ...pin, mode: 'Suspend', refs: [{ name: 'stop' }] });
    await ref(team, { branch: 'main', commit: commitOf('a') });
    await team.gate('stop', true);
    await team.suspended('GitRepository', 'shop');
    await ref(team, { branch: 'main' });
    await team.confirmed('hard', 'shop');
    team.push('shop', 'b');
    await team.gate('stop', false);
    await team.suspended('GitRepository', 'shop', false);
    const { spec, metadata } = await team.object('GitRepository', 'shop');
    expect(spec?.['ref']).toEqual({ branch: 'main', commit: commitOf('a') });
    expect(metadata.annotations?.[annotations.heldBy]).toBe('release');
    expect(team.taken('GitRepository', 'shop')).toEqual([onMain('a')]);
  });

  it('is not allowed with scope All', async () => {
    const team = await fixture.team();
    await expect(team.bind('release', { ...pin, scope: 'All' })).rejects.toThrow(
      'scope All requires mode Suspend or Observe',
    );
  });
});
