import { describe, expect, it } from '@jest/globals';
import { annotations, GitRepository, PromotionStrategy, ScmProvider } from '@interlock/api';
import { deliverGithub, firstLineOf } from '@interlock/forge';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { proposeUnchecked } from './harness/proposals.js';
import type { Team } from './harness/team.js';
import { webhookSecret, useFixture } from './harness/fixture.js';

const fixture = useFixture();

interface Delivery {
  /** The secret of the webhook. Default: the secret of the provider. */
  secret?: string;
  event?: string;
  body?: string;
  /** The address of the webhook. Default: the address of the team's provider. */
  url?: string;
}

/** Delivers a push of a repository as GitHub does. Returns the status of the response. */
async function deliver(team: Team, delivery: Delivery = {}): Promise<number> {
  return (await send(team, delivery)).status;
}

async function send(team: Team, delivery: Delivery): Promise<{ status: number; text: string }> {
  const { secret = webhookSecret, event = 'push', url = fixture.webhookUrl(team.namespace) } = delivery;
  const { owner, name } = team.repository;
  const push = { ref: 'refs/heads/dev-next', repository: { name, owner: { login: owner } } };
  return deliverGithub(url, { secret, event, body: delivery.body ?? JSON.stringify(push) });
}

/** Delivers an event about a pull request as GitHub does. Returns the status of the response. */
function deliverPull(team: Team, action: 'edited' | 'closed', number: number): Promise<number> {
  const { owner, name } = team.repository;
  const pull = { action, pull_request: { number }, repository: { name, owner: { login: owner } } };
  return deliver(team, { event: 'pull_request', body: JSON.stringify(pull) });
}

/** Returns the annotations of webhooks on a GitRepository. */
async function asked(team: Team, name = repositoryName): Promise<Record<string, string>> {
  const { metadata } = await fixture.platform.client.get(GitRepository, { namespace: team.namespace, name });
  return metadata.annotations ?? {};
}

/** Returns the paths of the pull requests of a team that were read at the forge. */
function readsSince(team: Team, seq: number): string[] {
  return team
    .requests(seq)
    .filter(({ method, route }) => method === 'GET' && route === '/repos/{owner}/{repo}/pulls/{pull_number}')
    .map(({ path }) => path.replace(/^\/api\/v3/, ''));
}

/** Returns a team without webhooks of the forge, whose strategy is idle. */
async function quietTeam(): Promise<Team> {
  const team = await fixture.team({ environments: ['dev'] });
  await team.applyStrategy();
  await eventually(() => team.environment('dev'));
  await fixture.rest();
  return team;
}

describe('a webhook', () => {
  it('that is signed causes a read at once', async () => {
    const team = await quietTeam();
    const { drySHA } = await team.propose();
    expect(await deliver(team)).toBe(202);
    expect(await asked(team)).toEqual({ [annotations.refreshedAt]: expect.stringMatching(/^\d{4}-.*Z$/) });
    await team.runs('dev', drySHA);
  });

  it.each<[string, Delivery, number]>([
    ['with another secret', { secret: 'guessed' }, 401],
    ['without a signature', { secret: '' }, 401],
    ['that is not JSON', { body: 'payload=1' }, 400],
    ['without a body that names a ref', { body: '{}' }, 400],
    ['that is a ping', { event: 'ping', body: '{}' }, 200],
    ['of an unknown kind', { event: 'star', body: '{}' }, 200],
  ])('%s changes nothing', async (_what, delivery, status) => {
    const team = await quietTeam();
    const before = await team.tip('dev');
    await team.propose();
    expect(await deliver(team, delivery)).toBe(status);
    await fixture.rest();
    expect(await asked(team)).toEqual({});
    expect(await team.tip('dev')).toBe(before);
    expect(await deliver(team)).toBe(202);
  });

  it.each<[string, Delivery]>([
    ['signed with another secret', { secret: 'guessed' }],
    ['not signed', { secret: '' }],
    ['signed with another secret, and large', { secret: 'guessed', body: 'x'.repeat(1024 * 1024) }],
  ])('that is %s gets the same response whether its provider exists or not', async (_what, delivery) => {
    const team = await quietTeam();
    const url = fixture.webhookUrl(team.namespace);
    const answers = [];
    for (const to of [url, `${url}s`, fixture.webhookUrl('nowhere'), url.replace(/forge$/, '')])
      answers.push(await send(team, { ...delivery, url: to }));
    const [known] = answers;
    expect(known?.status).toBe(401);
    for (const answer of answers) expect(answer).toEqual(known);
    expect(await deliver(team, { url })).toBe(202);
  });

  it('gets the response for an unknown provider if the Secret of the provider has a type without credentials', async () => {
    const team = await quietTeam();
    const provider = await team.client.get(ScmProvider, { namespace: team.namespace, name: 'forge' });
    const metadata = { namespace: team.namespace, name: provider.spec.secretRef?.name ?? '' };
    await team.client.delete(Secret, metadata);
    const stringData = { webhookSecret, 'tls.crt': '', 'tls.key': '' };
    await team.client.create(Secret, { metadata, type: 'kubernetes.io/tls', stringData });
    const refused = await send(team, {});
    expect(refused.status).toBe(401);
    expect(await send(team, { url: fixture.webhookUrl('nowhere') })).toEqual(refused);
  });

  it('that is not signed is refused without a call to the API server', async () => {
    const team = await quietTeam();
    const read: string[] = [];
    fixture.platform.cluster.embedded.faults.inject({
      when({ info: { verb, resource } }) {
        if (verb === 'get') read.push(resource?.plural ?? '');
        return false;
      },
    });
    for (let time = 0; time < 10; time++) expect(await deliver(team, { secret: '' })).toBe(401);
    for (let time = 0; time < 10; time++) {
      expect(await deliver(team, { secret: 'guessed', url: fixture.webhookUrl('nowhere') })).toBe(401);
    }
    expect(read).toEqual([]);
    expect(await deliver(team)).toBe(202);
    expect(read.filter((plural) => plural === 'secrets')).toHaveLength(1);
  });

  it('that is not signed is refused before its body has been sent', async () => {
    const team = await quietTeam();
    const answer = await firstLineOf(fixture.webhookUrl(team.namespace), ['content-length: 1000000']);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  });

  it('concerns the repositories that it names, but only in the namespace of its provider', async () => {
    const [team, other] = [await quietTeam(), await quietTeam()];
    const { repository } = team;
    const spec = {
      scmProviderRef: { name: 'forge' },
      github: { owner: repository.owner, name: repository.name },
    };
    await team.apply(GitRepository, 'same', { spec });
    await other.apply(GitRepository, 'same', { spec });
    const environments = [{ branch: 'dev' }];
    for (const one of [team, other]) {
      const repoRef = { name: 'same' };
      await one.apply(PromotionStrategy, 'same', { spec: { repoRef, dryBranch: 'main', environments } });
    }
    await team.apply(GitRepository, 'unlike', {
      spec: { ...spec, github: { ...spec.github, name: 'unlike' } },
    });
    await fixture.rest();
    expect(await deliver(team)).toBe(202);
    expect(await asked(team)).toHaveProperty([annotations.refreshedAt]);
    expect(await asked(team, 'same')).toHaveProperty([annotations.refreshedAt]);
    expect(await asked(team, 'unlike')).toEqual({});
    expect(await asked(other)).toEqual({});
    expect(await asked(other, 'same')).toEqual({});
  });

  it('is accepted although a repository that it concerns cannot have another annotation', async () => {
    const team = await quietTeam();
    const { owner, name } = team.repository;
    const spec = { scmProviderRef: { name: 'forge' }, github: { owner, name } };
    const full = { filler: 'x'.repeat(256 * 1024 - 'filler'.length) };
    await team.client.create(GitRepository, {
      metadata: { name: 'full', namespace: team.namespace, annotations: full },
      spec,
    });
    const environments = [{ branch: 'dev' }];
    const repoRef = { name: 'full' };
    await team.apply(PromotionStrategy, 'full', { spec: { repoRef, dryBranch: 'main', environments } });
    await fixture.rest();
    expect(await deliver(team)).toBe(202);
    expect(await asked(team)).toHaveProperty([annotations.refreshedAt]);
    expect(await asked(team, 'full')).toEqual(full);
  });

  it('is harmless when it is repeated', async () => {
    const team = await quietTeam();
    const { drySHA } = await team.propose();
    await deliver(team);
    await team.runs('dev', drySHA);
    await fixture.rest();
    const { seq } = fixture.platform.forge.journal;
    for (let time = 0; time < 3; time++) expect(await deliver(team)).toBe(202);
    await fixture.rest();
    expect(team.requests(seq).filter(({ kind }) => kind === 'write')).toEqual([]);
    expect(await team.pulls('dev')).toHaveLength(1);
  });

  it('about a branch on which nothing depends changes nothing', async () => {
    const team = await quietTeam();
    const { owner, name } = team.repository;
    const push = { ref: 'refs/heads/feature', repository: { name, owner: { login: owner } } };
    expect(await deliver(team, { body: JSON.stringify(push) })).toBe(202);
    await fixture.rest();
    expect(await asked(team)).toEqual({});
  });

  it('about the status of a commit, or another pull request, causes no reads however often it is sent', async () => {
    const team = await quietTeam();
    const { sha } = await proposeUnchecked(team);
    await fixture.rest();
    const before = await asked(team);
    const { seq } = fixture.platform.forge.journal;
    const patched: string[] = [];
    fixture.platform.cluster.embedded.faults.inject({
      when({ info: { verb, resource } }) {
        /* Requests for repositories of other tests may still be due. */
        if (verb === 'patch' && resource?.namespace === team.namespace) patched.push(resource.plural);
        return false;
      },
    });
    const { owner, name } = team.repository;
    const repository = { name, owner: { login: owner } };
    for (let flip = 0; flip < 30; flip++) {
      const status = { sha, state: flip % 2 === 0 ? 'pending' : 'success', repository };
      expect(await deliver(team, { event: 'status', body: JSON.stringify(status) })).toBe(202);
      expect(await deliverPull(team, 'edited', 4711)).toBe(202);
    }
    await fixture.rest();
    expect(patched).toEqual([]);
    expect(team.requests(seq)).toEqual([]);
    expect(await asked(team)).toEqual(before);
  });

  it('about one pull request causes a read of only that pull request', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy({
      environments: ['dev', 'test'].map((branch) => ({ branch, proposedCommitStatuses: [{ key: 'lint' }] })),
    });
    await team.propose();
    await team.refresh();
    const { number } = await eventually(() => team.openPull('dev'));
    await eventually(() => team.openPull('test'));
    await fixture.rest();
    const { seq } = fixture.platform.forge.journal;
    expect(await deliverPull(team, 'edited', number)).toBe(202);
    await eventually(() => expect(readsSince(team, seq)).not.toEqual([]));
    await fixture.rest();
    expect(readsSince(team, seq)).toEqual([`/repos/${team.repository.fullName}/pulls/${number}`]);
  });

  it('about a pull request causes a read of that pull request, even if another webhook follows immediately', async () => {
    const team = await quietTeam();
    const { number } = await proposeUnchecked(team);
    await fixture.rest();
    await fixture.user.close(team.repository.fullName, number);
    await team.refreshAndRest();
    await team.waitsFor('dev', 'Missing');
    expect(await deliverPull(team, 'closed', number)).toBe(202);
    expect(await deliver(team)).toBe(202);
    await team.waitsFor('dev', 'Rejected');
  });
});
