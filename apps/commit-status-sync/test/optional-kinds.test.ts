import { describe, expect, it } from '@jest/globals';
import { ArgoCDCommitStatus, FluxCommitStatus } from '@interlock/api';
import { installForeignKinds, removeForeignKinds } from '@interlock/stack';
import { argoKinds, fluxKinds } from './harness/foreign-kinds.js';
import { useFixture } from './harness/fixture.js';

const discoveryMs = 30_000;

const fixture = useFixture();

describe('kinds of other projects', () => {
  it('may be missing, and may be installed and removed later, without a restart', async () => {
    const team = await fixture.strategyTeam('dev');
    const commit = await team.commit();
    await team.activate({ dev: commit });
    await team.argocd();
    await team.flux({ selector: {} });
    expect(await team.ready(ArgoCDCommitStatus, 'NotServed')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('applications.argoproj.io'),
    });
    await team.ready(FluxCommitStatus, 'NotServed');
    await team.says('argocd-health', { dev: [commit, 'in_progress'] });

    await installForeignKinds(fixture.client, argoKinds);
    await team.application('shop', 'dev', commit);
    await fixture.forward(discoveryMs);
    await team.observes(ArgoCDCommitStatus, { dev: 'success' });
    await team.ready(FluxCommitStatus, 'NotServed');

    await installForeignKinds(fixture.client, fluxKinds.slice(0, 1));
    await fixture.forward(discoveryMs);
    await team.ready(FluxCommitStatus, 'Reported');

    await removeForeignKinds(fixture.client, argoKinds);
    await fixture.forward(discoveryMs);
    await team.ready(ArgoCDCommitStatus, 'NotServed');
    await team.says('argocd-health', { dev: [commit, 'in_progress'] });
    expect(fixture.sync.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
