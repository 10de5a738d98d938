import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditions } from '@interlock/api';
import { ClusterRole } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { fluxKinds, installForeignKinds } from '@interlock/stack';
import { HoldFixture } from './harness/hold-fixture.js';

const discoveryMs = 30_000;
const minute = 60_000;
const { GitRepository, OCIRepository } = fluxKinds;

let fixture: HoldFixture;

beforeAll(async () => {
  fixture = await HoldFixture.start({ kinds: [GitRepository] });
});
afterAll(() => fixture.close());

const refs = [{ name: 'freeze' }];

describe('kinds of Flux', () => {
  it('may be missing and may be installed later, without a restart', async () => {
    const team = await fixture.team();
    await team.repository('shop');
    await team.gate('freeze', true);
    await team.bind('release', { targets: [{ kind: 'GitRepository' }, { kind: 'OCIRepository' }], refs });
    await team.suspended('GitRepository', 'shop');
    await eventually(async () => {
      const { message } = await team.condition('release', conditions.ready, 'True');
      expect(message).toContain('does not serve ocirepositories.v1.source.toolkit.fluxcd.io');
    });
    await installForeignKinds(team.client, [OCIRepository]);
    await team.manifest('OCIRepository', 'image', { url: 'oci://registry.example/image' });
    await fixture.forward(discoveryMs);
    await team.suspended('OCIRepository', 'image');
    await eventually(async () => {
      const { message } = await team.condition('release', conditions.ready, 'True');
      expect(message).toBe('2 of 2 held');
    });
  });
});

describe('a missing permission', () => {
  const role = { name: 'interlock-gate-controller' };

  it('is reported with its verb and resource, and the object is held once the permission is granted', async () => {
    const team = await fixture.team();
    const granted = (await team.client.get(ClusterRole, role)).rules ?? [];
    const grant = async (verbs?: string[]) => {
      const rules = granted.map((rule) =>
        verbs !== undefined && rule.resources?.includes('gitrepositories') ? { ...rule, verbs } : rule,
      );
      await team.client.patch(ClusterRole, role, { type: 'merge', patch: { rules } });
    };
    await grant(['get', 'list', 'watch']);
    await team.repository('shop');
    await team.gate('freeze', true);
    await team.bind('release', { targets: [{ kind: 'GitRepository' }], refs });
    await eventually(async () => {
      const { reason, message } = await team.condition('release', conditions.ready, 'False');
      expect(reason).toBe('Forbidden');
      expect(message).toContain('cannot patch resource "gitrepositories"');
    });
    await team.hold('release', 'shop', (hold) => expect(hold).toMatchObject({ confirmed: false }));
    await grant();
    await fixture.forward(6 * minute);
    await team.suspended('GitRepository', 'shop');
    await team.condition('release', conditions.ready, 'True');
  });
});
