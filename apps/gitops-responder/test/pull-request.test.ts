import { describe, expect, it } from '@jest/globals';
import type { ScmName } from '@interlock/stack';
import type { Target } from './harness/target.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

const path = 'clusters/prod/rbac.yaml';
const kustomization = 'resources:\n  - rbac.yaml # what people may do\n  - other.yaml\n';
const binding = `# Who may do what. Ask security before you change it.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: too-broad # on the way out
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
  - {kind: Group, name: everyone, apiGroup: rbac.authorization.k8s.io}
`;
const other = 'kind: ConfigMap\nmetadata: {name: other}\n';
const files = {
  [path]: binding,
  'clusters/prod/kustomization.yaml': kustomization,
  'clusters/prod/other.yaml': other,
};
const revoke = JSON.stringify([
  { op: 'yaml.deleteDocument', path, select: { kind: 'ClusterRoleBinding', name: 'too-broad' } },
]);

/** Returns a response whose pull request is open at an SCM. */
async function proposed(scm: ScmName): Promise<{ target: Target; name: string }> {
  const target = await fixture.target(files, scm);
  await fixture.route(target.route());
  const name = await fixture.respond(target.actionRef, { changes: revoke });
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  return { target, name };
}

it('does not read an open pull request each time its event is written', async () => {
  const target = await fixture.target(files);
  await fixture.route(target.route());
  await fixture.event('se-noisy');
  const name = await fixture.respond(
    target.actionRef,
    { changes: revoke },
    { securityEventRef: { name: 'se-noisy' } },
  );
  await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
  await fixture.responder.rest();
  const reads = fixture.platform.forge.faults.add({
    match: { actor: target.login, path: `*/repos/${target.fullName}/pulls/1`, method: 'GET' },
    times: 1000,
    latencyMs: 1,
  });
  await fixture.event('se-noisy', { signals: ['again'] });
  /* The watch delivers events in order. */
  await fixture.event('se-after');
  const after = await fixture.respond('nobody', {}, { securityEventRef: { name: 'se-after' } });
  await fixture.statusIs(after, ({ conditions }) =>
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Routed', reason: 'NoRoute' })),
  );
  await fixture.responder.rest();
  expect(reads.hits).toBe(0);
});

describe.each<[ScmName]>([['github'], ['gitlab'], ['gitea']])('at %s', (scm) => {
  it('answers an event with one pull request of one commit, and follows it until it is merged', async () => {
    const target = await fixture.target(files, scm);
    await fixture.route(
      target.route({
        prTemplate: 'On `{{ .Source.SE.Subject.Name }}`',
        labels: ['security'],
        reviewers: [target.user.user.login],
      }),
    );
    const base = await target.local.git(['rev-parse', 'main']);
    const event = `se-${scm}`;
    await fixture.event(event, { subject: { kind: 'ClusterRoleBinding', name: 'too-broad' } });
    const name = await fixture.respond(
      target.actionRef,
      { changes: revoke },
      { securityEventRef: { name: event } },
    );
    const opened = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
    const pulls = await target.pulls();
    expect(pulls).toEqual([
      expect.objectContaining({ state: 'open', base: 'main', title: `ugallu: respond to ${event}` }),
    ]);
    const [pull] = pulls;
    const branch = pull?.head ?? '';
    expect(branch).toMatch(new RegExp(`^ugallu/${event}/[0-9a-f]{8}$`));
    expect(opened).toMatchObject({
      stage: 'Submitted',
      attempts: 1,
      outcome: { type: 'ActionTaken' },
      providerRef: expect.stringContaining(target.fullName),
      changeRequest: { number: pull?.number, state: 'open', branch, headSHA: pull?.headSHA },
      plan: {
        files: [
          { path: 'clusters/prod/kustomization.yaml', change: 'modify' },
          { path, change: 'delete' },
        ],
      },
    });
    expect(pull?.body).toContain('On `too-broad`');
    expect(pull?.body).toContain('<!-- interlock-response: ');
    expect(await target.local.lines(['rev-list', '--parents', '-n1', branch])).toEqual([
      `${pull?.headSHA} ${base}`,
    ]);
    expect(await target.file(branch, path)).toBeUndefined();
    expect(await target.file(branch, 'clusters/prod/kustomization.yaml')).toBe(
      'resources:\n  - other.yaml\n',
    );
    expect(
      await target.local.git(['show', '-s', '--format=%(trailers:key=Interlock-Response,valueonly)', branch]),
    ).not.toBe('');

    await target.user.merge(target.fullName, pull?.number ?? 0);
    await fixture.later(700_000);
    await fixture.statusIs(name, ({ stage, changeRequest, phase }) => {
      expect({ stage, phase }).toEqual({ stage: 'Merged', phase: 'Succeeded' });
      expect(changeRequest?.mergedSHA).toMatch(/^[0-9a-f]{40}$/);
    });
    const again = await fixture.respond(
      target.actionRef,
      { changes: revoke },
      { securityEventRef: { name: event } },
    );
    const status = await fixture.statusIs(again, ({ phase }) => expect(phase).toBe('Succeeded'));
    expect(status).toMatchObject({ outcome: { type: 'NoActionNeeded' }, stage: 'Planned' });
    expect(await target.pulls()).toHaveLength(1);
  });

  it('does not propose the change again when a user closes the pull request', async () => {
    const { target, name } = await proposed(scm);
    await target.user.close(target.fullName, (await target.pulls())[0]?.number ?? 0);
    await fixture.later(700_000);
    const status = await fixture.statusIs(name, ({ stage }) => expect(stage).toBe('Rejected'));
    expect(status).toMatchObject({ phase: 'Failed', error: { type: 'Conflicting', reason: 'Rejected' } });
    await fixture.restart();
    await fixture.responder.rest();
    expect(await target.pulls()).toHaveLength(1);
  });

  it('closes its pull request when it is cancelled', async () => {
    const { target, name } = await proposed(scm);
    await fixture.mark(name, { phase: 'Cancelled', cancelReason: 'a false alarm' });
    await fixture.statusIs(name, (status) =>
      expect(status).toMatchObject({
        phase: 'Cancelled',
        stage: 'Superseded',
        changeRequest: { state: 'closed' },
      }),
    );
    expect(await target.pulls()).toMatchObject([{ state: 'closed', merged: false }]);
    expect(await target.branches()).toEqual([]);
  });

  it('does not change a branch of another author', async () => {
    const target = await fixture.target(files, scm);
    await fixture.route(target.route());
    const theirs = await target.commit('security/fix', { 'a.txt': 'theirs\n' });
    const name = await fixture.respond(target.actionRef, { changes: revoke, branch: 'security/fix' });
    const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Failed'));
    expect(status.error).toMatchObject({ type: 'Conflicting', reason: 'ForeignCommits' });
    expect(await target.local.git(['rev-parse', 'security/fix'])).toBe(theirs);
    expect(await target.pulls()).toEqual([]);
  });
});
