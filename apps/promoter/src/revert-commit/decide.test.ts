import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CommitStatus, PullRequest, PullRequestStatus, RevertCommitStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { commit, d1, d2, d3, finding, sha } from '../promotion/testing/builders.js';
import { decideRevert, recordsSubject } from './decide.js';
import type { ObservedRevert } from './observed.js';
import {
  before,
  branch,
  facts,
  known,
  now,
  observed,
  open,
  pullRequest,
  revertCommit,
  revertSHA,
  target,
  unwanted,
} from './testing/builders.js';

type Decision = ReturnType<typeof decideRevert>;
const decide = (more: Partial<ObservedRevert> = {}, at = now): Decision => decideRevert(observed(more), at);
const without = (more: Partial<ObservedRevert> = {}): Decision => {
  const { pullRequest: _none, ...rest } = observed(more);
  return decideRevert(rest, now);
};
const specOf = (decision: Decision) => decision.pullRequest?.['spec'] as PullRequest['spec'];
const condition = (decision: Decision, type: string) =>
  decision.status.conditions?.find((one) => one.type === type);
const auto = revertCommit({ mode: 'Auto' });
const expiring = { expiresAt: '2026-01-01T01:00:00Z' };
const later = now + 2 * 3_600_000;

describe('the target', () => {
  const subject = { target, revertOf: unwanted, rejectedDrySHA: d2, branch };
  const fresh = (spec = {}) => revertCommit(spec, {});

  it('is recorded before anything is created', () => {
    const decision = without({ revertCommit: fresh(), facts: facts({ subject }) });
    expect(decision.status).toMatchObject({ ...subject, state: 'Pending', inForce: true });
    expect(decision).toMatchObject({ requeueAfterMs: 0 });
    expect([decision.build, decision.pullRequest]).toEqual([undefined, undefined]);
  });

  it('stalls the RevertCommit if it does not exist, and holds nothing', () => {
    const problem = new Problem('NoHealthyCommit', 'set spec.drySHA', { transient: false });
    const decision = without({ revertCommit: fresh(), facts: facts({ subject: problem }) });
    expect(condition(decision, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'NoHealthyCommit',
      message: 'set spec.drySHA',
    });
    expect(decision.status.inForce).toBeUndefined();
    expect(decision.build).toBeUndefined();
  });

  it('does not change the recorded rejected commit if it does not exist', () => {
    const problem = new Problem('NoHealthyCommit', 'set spec.drySHA', { transient: false });
    const rejected = { revertOf: unwanted, rejectedDrySHA: d2 };
    const stalled = without({ revertCommit: fresh(), facts: facts({ subject: problem, rejected }) });
    expect(stalled.status).toMatchObject(rejected);
    const newer = facts({ activeIs: 'newer', active: commit('a9', d3), subject, rejected });
    const decision = without({ revertCommit: revertCommit({}, stalled.status), facts: newer });
    expect(decision.status).toMatchObject({ ...rejected, state: 'Superseded', inForce: false });
    expect([decision.build, decision.status.target]).toEqual([undefined, undefined]);
  });

  it('is not searched for after the expiry', () => {
    const decision = decide({ revertCommit: fresh(expiring), facts: facts({ subject }) }, later);
    expect(decision.status).toMatchObject({ state: 'Expired', inForce: false });
    expect(decision.status).not.toHaveProperty('target');
  });
});

describe('a decision from what was read at the last refresh', () => {
  const unreadable = new Problem('Network', 'no answer');

  it.each<[string, Partial<ObservedRevert>, boolean]>([
    ['is not sufficient while the target is unknown', { revertCommit: revertCommit({}, {}) }, true],
    [
      'is not sufficient while there is no target',
      { revertCommit: revertCommit({}, { state: 'Pending' }) },
      true,
    ],
    ['is sufficient once the target is known', { revertCommit: revertCommit() }, false],
    [
      'is sufficient once the revert has expired',
      { revertCommit: revertCommit({}, { state: 'Expired' }) },
      false,
    ],
    [
      'is sufficient once the revert is superseded',
      { revertCommit: revertCommit({}, { state: 'Superseded' }) },
      false,
    ],
    ['is sufficient to report a problem', { revertCommit: revertCommit({}, {}), facts: unreadable }, false],
  ])('%s', (_, more, expected) => {
    expect(recordsSubject(observed(more))).toBe(expected);
  });
});

describe('a RevertCommit whose children would have the names of those of another object', () => {
  const taken = new Problem('ChildNameInUse', 'rename it', { transient: false, retryAfterMs: 60_000 });
  const { revertSHA: _none, ...unbuilt } = facts();

  it.each([facts(), unbuilt])('proposes nothing, holds the environment, and is checked again', (state) => {
    const decision = without({ taken, facts: state, revertCommit: revertCommit(expiring) });
    expect(decision).toEqual({ status: decision.status, requeueAfterMs: 60_000 });
    expect(condition(decision, 'Stalled')).toMatchObject({ status: 'True', reason: 'ChildNameInUse' });
    expect(decision.status).toMatchObject({ state: 'Pending', inForce: true });
  });

  it('still ends, so that it does not hold the environment for ever', () => {
    const merged = revertCommit(expiring, { ...known, state: 'Merged' });
    const decision = decide({ taken, revertCommit: merged, pullRequest: undefined }, later);
    expect(decision.status).toMatchObject({ state: 'Merged', inForce: false });
    expect(condition(decision, 'Stalled')?.status).not.toBe('True');
  });
});

describe('the commit', () => {
  const { revertSHA: _none, ...unbuilt } = facts();

  it('has the tree of the target, the active commit as its parent, and trailers', () => {
    const decision = without({ revertCommit: revertCommit({ reason: 'it burns' }), facts: unbuilt });
    expect(decision.build).toMatchObject({
      branch,
      parent: unwanted,
      treeSHA: target.treeSHA,
      date: '2025-12-31T23:59:00Z',
    });
    expect(decision.build?.message).toBe(
      `Revert test to d100000\n\nit burns\n\nSha-dry-proposed: ${d1}\nRevert-of: ${unwanted}\nRevert-to: ${before}\nRevert-reason: it burns\n`,
    );
    expect(decision.pullRequest).toBeUndefined();
  });

  it('is the same each time it is decided', () => {
    expect(without({ facts: unbuilt })).toEqual(without({ facts: unbuilt }));
  });

  it('is recreated on top of a hotfix of the same dry commit', () => {
    const decision = decide({ facts: { ...unbuilt, active: commit('a2', d2, 'e3') } });
    expect(decision.build).toMatchObject({ branch, parent: sha('a2'), treeSHA: target.treeSHA });
    expect(decision.status).toMatchObject({ state: 'Open', inForce: true });
  });
});

describe('the pull request', () => {
  it('goes from the branch of the revert to the environment', () => {
    expect(specOf(without({ revertCommit: revertCommit({ reason: 'see *log*' }) }))).toEqual({
      repoRef: { name: 'repo' },
      title: 'Revert test to d100000',
      description: expect.stringContaining('Reason: see &#42;log&#42;'),
      sourceBranch: branch,
      targetBranch: 'test',
      headSHA: revertSHA,
      state: 'open',
    });
  });

  it('waits for a user, unless the mode is Auto', () => {
    expect(specOf(decide())).not.toHaveProperty('merge');
    expect(condition(decide(), 'Reverted')).toMatchObject({ status: 'False', reason: 'WaitingForPerson' });
    const { merge } = specOf(decide({ revertCommit: auto }));
    expect(merge).toMatchObject({ sha: revertSHA, method: 'merge' });
    expect(merge?.message).toContain(`\nSha-dry-active: ${d2}\nSha-dry-proposed: ${d1}\n`);
    expect(merge?.message).toContain(`\nRevert-of: ${unwanted}\nRevert-to: ${before}\n`);
  });

  it('is opened before it is merged', () => {
    const decision = without({ revertCommit: auto });
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(condition(decision, 'Reverted')).toMatchObject({ reason: 'OpeningPullRequest' });
    expect(decision.status.state).toBe('Pending');
  });

  it('has the commit status promotion, which branch protection may require', () => {
    const statusOf = (decision: Decision) => decision.commitStatus?.['spec'] as CommitStatus['spec'];
    const gates = { findings: [finding('freeze', 'failure')], skippableChecks: [] };
    const decision = decide({ gates });
    expect(decision.commitStatus?.metadata.labels).toMatchObject({
      'commit-status.argoproj.io/key': 'promotion',
    });
    expect(statusOf(decision)).toMatchObject({ sha: revertSHA, name: 'promotion', phase: 'success' });
    expect(
      statusOf(decide({ gates: { ...gates, held: { reason: 'Held', message: 'held: migration' } } })),
    ).toMatchObject({
      phase: 'in_progress',
      description: expect.stringContaining('migration'),
    });
  });

  it('has the labels and merge method of the strategy', () => {
    const gates = {
      findings: [],
      skippableChecks: [],
      pullRequest: { labels: ['x'], mergeMethod: 'squash' },
    } as const;
    const decision = decide({
      revertCommit: auto,
      gates: { ...gates, pullRequest: { ...gates.pullRequest, labels: ['x'] } },
    });
    expect(specOf(decision)).toMatchObject({ labels: ['x'], merge: { method: 'squash' } });
  });
});

describe('the gates', () => {
  const rejected = finding('freeze', 'failure');
  const gate = (skipChecks: string[], skippableChecks: string[], findings = [rejected]) =>
    decide({
      revertCommit: revertCommit({ mode: 'Auto', skipChecks }),
      gates: { findings, skippableChecks },
    });
  const line = (decision: Decision, name: string) => decision.status.checks?.find((one) => one.name === name);

  it.each<[string, string[], string[], string, boolean]>([
    ['failed', [], [], 'failure Failure', false],
    ['failed, and skippable', [], ['freeze'], 'failure Failure', false],
    ['skipped, and not skippable', ['freeze'], ['lint'], 'failure Failure', false],
    ['skipped, and skippable', ['freeze'], ['freeze'], 'success Skipped', true],
  ])('handle a check that is %s', (_case, skip, skippable, expected, merges) => {
    const decision = gate(skip, skippable);
    const check = line(decision, 'freeze');
    expect(`${check?.state} ${check?.reason}`).toBe(expected);
    expect(specOf(decision).merge !== undefined).toBe(merges);
  });

  it('have distinct names, although a key has the name of a rule', () => {
    const { checks = [] } = gate([], [], [finding('Order', 'pending')]).status;
    expect(checks.map(({ name }) => name)).toEqual(['Forward', 'Order', 'NotHeld', 'key Order']);
  });

  it('report why a check cannot be skipped', () => {
    expect(line(gate(['freeze'], []), 'freeze')?.message).toContain('revertPolicy.skippableChecks');
  });

  it.each(['pending', 'queued', 'in_progress', 'cancelled'] as const)('wait while a check is %s', (phase) => {
    const decision = gate([], [], [finding('lint', phase)]);
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(condition(decision, 'Reverted')?.message).toContain('lint');
  });

  it('exempt the target from the rules Forward and Order, and report this', () => {
    expect(line(gate([], []), 'Forward')).toMatchObject({ state: 'success', reason: 'Exempt' });
    expect(line(gate([], []), 'Order')).toMatchObject({ state: 'success', reason: 'Exempt' });
  });

  it('are closed while the strategy holds the environment', () => {
    const gates = { findings: [], skippableChecks: [], held: { reason: 'Held', message: 'held: migration' } };
    const decision = decide({ revertCommit: auto, gates });
    expect(specOf(decision)).not.toHaveProperty('merge');
    expect(condition(decision, 'Reverted')).toMatchObject({ reason: 'Held' });
  });
});

describe('the end', () => {
  const closed: PullRequestStatus = { ...open, state: 'closed' };
  const { headSHA: _head, ...withdrawn } = closed;
  const status = (more: RevertCommitStatus) => revertCommit({}, { ...known, revertSHA, ...more });
  const newer = facts({ active: commit('a9', d3), activeIs: 'newer' });
  const other = facts({ active: commit('a9', d1), activeIs: 'other' });

  it.each<[string, Partial<ObservedRevert>, string, boolean]>([
    ['is merged', { facts: facts({ contained: true }) }, 'Merged', true],
    [
      'is merged at the SCM, which git does not show',
      { pullRequest: pullRequest({ ...open, state: 'merged' }) },
      'Merged',
      true,
    ],
    [
      'is no longer necessary, because the environment has its content',
      { facts: facts({ active: commit('a3', d1, 'e1') }) },
      'Merged',
      true,
    ],
    [
      'was merged, and a newer dry commit came',
      { revertCommit: status({ state: 'Merged' }), facts: newer },
      'Merged',
      false,
    ],
    [
      'was merged, even if the newer commit is no longer active',
      { revertCommit: status({ state: 'Merged', inForce: false }), facts: other },
      'Merged',
      false,
    ],
    ['has a closed pull request', { pullRequest: pullRequest(closed) }, 'Rejected', false],
    [
      'was rejected, and the environment moved on',
      { revertCommit: status({ state: 'Rejected' }), pullRequest: pullRequest(closed), facts: newer },
      'Rejected',
      false,
    ],
    [
      'was rejected, and the pull request is open again',
      { revertCommit: status({ state: 'Rejected', inForce: false }) },
      'Open',
      true,
    ],
    ['was withdrawn by the promoter', { pullRequest: pullRequest(withdrawn) }, 'Pending', true],
    ['is overtaken', { facts: newer }, 'Superseded', false],
    [
      'was overtaken, even if the newer commit is no longer active',
      { revertCommit: status({ state: 'Superseded' }) },
      'Superseded',
      false,
    ],
    ['finds another active commit', { facts: other }, 'Open', true],
  ])('is recorded for a revert that %s', (_case, more, state, inForce) => {
    expect(decide(more).status).toMatchObject({ state, inForce });
  });

  it('of an overtaken revert closes its pull request without a merge', () => {
    expect(specOf(decide({ revertCommit: auto, facts: newer }))).toMatchObject({ state: 'closed' });
    expect(specOf(decide({ revertCommit: auto, facts: newer }))).not.toHaveProperty('merge');
  });

  it('of a merged revert does not change its pull request', () => {
    expect(decide({ pullRequest: pullRequest({ ...open, state: 'merged' }) }).pullRequest).toBeUndefined();
  });

  it('is not reached while the environment runs another commit, and nothing is proposed', () => {
    const decision = decide({ revertCommit: auto, facts: other });
    expect(specOf(decision)).toMatchObject({ state: 'closed' });
    expect(condition(decision, 'Reverted')).toMatchObject({ reason: 'NotActive' });
    expect(decision.build).toBeUndefined();
  });

  it('is reported by conditions', () => {
    expect(condition(decide({ facts: facts({ contained: true }) }), 'Reverted')).toMatchObject({
      status: 'True',
      reason: 'Reverted',
    });
    const rejected = decide({ pullRequest: pullRequest(closed) });
    expect(condition(rejected, 'Rejected')).toMatchObject({ status: 'True', reason: 'ClosedByPerson' });
    expect(condition(decide(), 'Rejected')).toBeUndefined();
  });
});

describe('the expiry', () => {
  it('is scheduled exactly', () => {
    expect(decide({ revertCommit: revertCommit(expiring) }).requeueAfterMs).toBe(3_600_000);
    const merged = { facts: facts({ contained: true }), revertCommit: revertCommit(expiring) };
    expect(decide(merged, now + 3_599_999).requeueAfterMs).toBe(1);
  });

  it('closes the pull request', () => {
    const decision = decide({ revertCommit: revertCommit(expiring) }, now + 3_600_000);
    expect(decision.status).toMatchObject({ state: 'Expired', inForce: false });
    expect(specOf(decision)).toMatchObject({ state: 'closed' });
    expect(decision.requeueAfterMs).toBeUndefined();
  });

  it('ends the hold of a merged revert, which stays merged', () => {
    const merged = { facts: facts({ contained: true }), revertCommit: revertCommit(expiring) };
    expect(decide(merged, later).status).toMatchObject({ state: 'Merged', inForce: false });
  });
});

describe('a problem', () => {
  const { active: _active, ...noBranch } = facts();
  it.each<[string, ObservedRevert['facts'], string]>([
    ['a missing environment branch', noBranch, 'BranchNotFound'],
    ['a missing repository', new Problem('GitRepositoryNotFound', 'create it'), 'GitRepositoryNotFound'],
  ])('that is %s is reported, changes nothing and releases nothing', (_case, found, reason) => {
    const decision = decide({ facts: found });
    expect(condition(decision, 'Ready')).toMatchObject({ status: 'False', reason });
    expect(decision.status).toMatchObject(known);
    expect([decision.build, decision.pullRequest]).toEqual([undefined, undefined]);
  });
});

describe('the decision for any state', () => {
  const phase = fc.constantFrom('pending', 'in_progress', 'success', 'failure', 'cancelled' as const);
  const any = fc.record({
    mode: fc.constantFrom('Auto', 'PullRequest' as const),
    phases: fc.array(phase, { maxLength: 3 }),
    skip: fc.boolean(),
    skippable: fc.boolean(),
    hold: fc.boolean(),
    state: fc.constantFrom('Pending', 'Open', 'Merged', 'Rejected', 'Superseded', 'Expired' as const),
    inForce: fc.boolean(),
    pull: fc.constantFrom(undefined, 'open', 'merged', 'closed' as const),
    activeIs: fc.constantFrom('rejected', 'newer', 'other' as const),
    built: fc.boolean(),
    contained: fc.boolean(),
    expired: fc.boolean(),
  });
  type Any = typeof any extends fc.Arbitrary<infer T> ? T : never;

  function observe(one: Any): ObservedRevert {
    const findings = one.phases.map((found, index) => finding(`key-${index}`, found));
    const keys = findings.map(({ key }) => key);
    const { revertSHA: _sha, ...unbuilt } = facts({ activeIs: one.activeIs, contained: one.contained });
    return {
      revertCommit: revertCommit(
        {
          mode: one.mode,
          ...(one.skip && { skipChecks: keys }),
          ...(one.expired && { expiresAt: '2025-12-31T23:59:59Z' }),
        },
        { ...known, state: one.state, inForce: one.inForce },
      ),
      facts: one.built ? { ...unbuilt, revertSHA } : unbuilt,
      gates: {
        findings,
        skippableChecks: one.skippable ? keys : [],
        ...(one.hold && { held: { reason: 'Held', message: 'x' } }),
      },
      ...(one.pull && { pullRequest: pullRequest({ ...open, state: one.pull }) }),
    };
  }

  it('merges only if all conditions of a merge are met', () => {
    fc.assert(
      fc.property(any, (one) => {
        if (specOf(decideRevert(observe(one), now))?.merge === undefined) return;
        expect(one).toMatchObject({
          mode: 'Auto',
          hold: false,
          pull: 'open',
          activeIs: 'rejected',
          built: true,
        });
        expect(one).toMatchObject({ contained: false, expired: false });
        expect(one.phases.every((found) => found === 'success') || (one.skip && one.skippable)).toBe(true);
        expect(['Merged', 'Superseded', 'Expired']).not.toContain(one.state);
      }),
    );
  });

  it('has the same result when it is decided again', () => {
    fc.assert(
      fc.property(any, (one) => {
        const first = observe(one);
        const { status } = decideRevert(first, now);
        const again = { ...first, revertCommit: { ...first.revertCommit, status } };
        expect(decideRevert(again, now).status).toEqual(status);
      }),
    );
  });

  it('holds the environment while the revert is in progress, and afterwards only if it was merged', () => {
    fc.assert(
      fc.property(any, (one) => {
        const { status } = decideRevert(observe(one), now);
        if (status.inForce) expect(['Pending', 'Open', 'Merged']).toContain(status.state);
        else expect(['Pending', 'Open']).not.toContain(status.state);
      }),
    );
  });
});
