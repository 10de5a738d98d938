import { describe, expect, it } from '@jest/globals';
import type { PromotionStrategy } from '@interlock/api';
import { RevertCommit, type EnvironmentStatus } from '@interlock/api';
import { hydratorMetadataFile } from '@interlock/git';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

const suffix = '-proposed';

/** An application with its own folder on shared branches. */
class App {
  readonly #team: Team;

  constructor(
    team: Team,
    readonly name: string,
  ) {
    this.#team = team;
  }

  get path(): string {
    return `apps/${this.name}`;
  }

  async applyStrategy(spec: Partial<PromotionStrategy['spec']> = {}): Promise<void> {
    await this.#team.applyStrategy(
      { activePath: this.path, proposedBranchSuffix: suffix, ...spec },
      this.name,
    );
  }

  /** Hydrates a dry commit for an environment, in the application's folder only. */
  hydrate(branch: string, drySHA: string): Promise<string> {
    return this.#team.commit(`${branch}${suffix}/${this.path}`, {
      [`${this.path}/manifest.yaml`]: `app: ${this.name}\nenvironment: ${branch}\noutput: ${drySHA}\n`,
      [`${this.path}/${hydratorMetadataFile}`]: `${JSON.stringify({ drySha: drySHA })}\n`,
    });
  }

  async propose(...branches: string[]): Promise<string> {
    const drySHA = await this.#team.commitDry();
    for (const branch of branches) await this.hydrate(branch, drySHA);
    await this.#team.refresh();
    return drySHA;
  }

  async environment(branch: string): Promise<EnvironmentStatus> {
    const { status } = await this.#team.strategy(this.name);
    const found = status?.environments?.find((environment) => environment.branch === branch);
    if (found === undefined) throw new Error(`no status of ${branch}`);
    return found;
  }

  /**
   * Waits until the application runs a dry commit in an environment. Returns the commit with which it became active.
   */
  runs(branch: string, drySHA: string): Promise<string> {
    return eventually(async () => {
      const { active } = await this.environment(branch);
      if (active?.hydratedSHA === undefined || active.drySHA !== drySHA) {
        throw new Error(`${this.name} runs ${active?.drySHA} in ${branch}`);
      }
      return active.hydratedSHA;
    });
  }

  /** Returns the tree of the application's folder in a commit. */
  tree(commit: string): Promise<string> {
    return this.#team.local.git(['rev-parse', `${commit}:${this.path}`]);
  }
}

/** Creates two applications on the branches `dev` and `prod`, with strategies in one namespace. */
async function monorepo(spec: Partial<PromotionStrategy['spec']> = {}, webhooks = false) {
  const team = await fixture.team({ environments: ['dev', 'prod'], webhooks });
  const [a, b] = [new App(team, 'a'), new App(team, 'b')];
  for (const app of [a, b]) {
    await app.applyStrategy({ activeCommitStatuses: [{ key: 'health' }], ...spec });
  }
  return { team, a, b };
}

describe('strategies that share their branches, each with an active path', () => {
  it('promote their own folder, and nothing else', async () => {
    const { team, a, b } = await monorepo({ activeCommitStatuses: [] });
    const first = await a.propose('dev', 'prod');
    const second = await b.propose('dev', 'prod');
    for (const branch of ['dev', 'prod']) {
      const promotedA = await a.runs(branch, first);
      const promotedB = await b.runs(branch, second);
      const tip = await team.tip(branch);
      expect(await a.tree(tip)).toBe(await a.tree(promotedA));
      expect(await b.tree(tip)).toBe(await b.tree(`${branch}${suffix}/apps/b`));
      expect(promotedA).not.toBe(promotedB);
      expect(await team.files(tip)).toContain('manifest.yaml');
    }
    const again = await a.propose('dev');
    await a.runs('dev', again);
    await b.runs('dev', second);
    expect((await b.environment('dev')).history?.map(({ drySHA }) => drySHA)).not.toContain(again);
  });

  it('promote into a new folder of a branch, even if another strategy runs a newer commit there', async () => {
    const { team, a, b } = await monorepo({ activeCommitStatuses: [] });
    const older = await team.commitDry();
    await b.runs('dev', await b.propose('dev'));
    await a.hydrate('dev', older);
    await team.refresh();
    await a.runs('dev', older);
  });

  it('use the health of the commit with their own change', async () => {
    const { team, a, b } = await monorepo();
    const drySHA = await a.propose('dev', 'prod');
    const brought = await a.runs('dev', drySHA);
    const other = await b.propose('dev');
    await b.runs('dev', other);
    expect(await team.tip('dev')).not.toBe(brought);
    await eventually(async () => {
      const tipSHA = await team.tip('dev');
      expect((await a.environment('dev')).active).toMatchObject({ hydratedSHA: brought, tipSHA });
    });
    await team.report('health', await b.runs('dev', other), 'failure');
    await team.report('health', brought, 'success');
    await a.runs('prod', drySHA);
    expect((await b.environment('dev')).active?.commitStatus).toBe('failure');
  });

  it('are all woken by a webhook about the branch that they share', async () => {
    const { team, a, b } = await monorepo({ activeCommitStatuses: [] }, true);
    for (const app of [a, b]) await app.runs('dev', await app.propose('dev'));
    await fixture.rest();
    const fix = await team.amend('dev', { 'apps/a/x.yaml': 'a: b\n', 'apps/b/x.yaml': 'a: b\n' });
    /* The forge notices a push in its folder at the next read, and sends its webhook then. */
    await team.pulls('dev');
    for (const app of [a, b]) {
      await eventually(async () => {
        expect((await app.environment('dev')).active?.hydratedSHA).toBe(fix);
      });
    }
  });

  it('report only drift in their own folder', async () => {
    const { team, a, b } = await monorepo({ activeCommitStatuses: [], driftPolicy: 'Block' });
    for (const app of [a, b]) await app.runs('dev', await app.propose('dev'));
    const fix = await team.amend('dev', { 'apps/a/manifest.yaml': 'fixed: by hand\n' });
    const [nextA, nextB] = [await a.propose('dev'), await b.propose('dev')];
    await b.runs('dev', nextB);
    await eventually(async () => {
      const held = (await a.environment('dev')).checks?.find(({ name }) => name === 'NotHeld');
      expect(held).toMatchObject({ reason: 'Drifted', message: expect.stringContaining(fix.slice(0, 7)) });
    });
    await a.applyStrategy({ driftPolicy: 'Overwrite' });
    await a.runs('dev', nextA);
    expect(await a.tree('dev')).toBe(await a.tree(`dev${suffix}/apps/a`));
    expect(await b.tree('dev')).toBe(await b.tree(`dev${suffix}/apps/b`));
  });

  it('revert only their own folder', async () => {
    const { team, a, b } = await monorepo({ activeCommitStatuses: [] });
    const good = await a.propose('dev');
    const wanted = await a.tree(await a.runs('dev', good));
    await a.runs('dev', await a.propose('dev'));
    const beside = await b.tree(await b.runs('dev', await b.propose('dev')));
    const spec = { repoRef: { name: repositoryName }, activeBranch: 'dev', drySHA: good, mode: 'Auto' };
    await team.apply(RevertCommit, 'whole', { spec });
    await eventually(async () => {
      const { status } = await team.client.get(RevertCommit, { namespace: team.namespace, name: 'whole' });
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'False', message: expect.stringContaining('spec.activePath') });
    });
    await team.apply(RevertCommit, 'back', { spec: { ...spec, activePath: a.path } });
    await a.runs('dev', good);
    expect(await a.tree('dev')).toBe(wanted);
    expect(await b.tree('dev')).toBe(beside);
  });
});
