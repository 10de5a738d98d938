import { describe, expect, it } from '@jest/globals';
import {
  annotations,
  ProposedCommit,
  PullRequest,
  timestampOf,
  typeMeta,
  type CommitStatus,
  type KubeObject,
} from '@interlock/api';
import fc from 'fast-check';
import { commitStatus, now, sha, strategy } from '../sources/testing/builders.js';
import { decideGarbage, type ObservedGarbage } from './decide.js';
import { NamedCommits } from './named-commits.js';

const hour = 3_600_000;
const ttl = 24 * hour;
const [active, proposed, gone] = [sha('aa'), sha('bb'), sha('cc')];

function status(name: string, commit: string, mark?: string, createdAt = now - 100 * hour): CommitStatus {
  return commitStatus(name, 'lint', commit, 'success', {
    resourceVersion: '7',
    creationTimestamp: timestampOf(createdAt),
    ...(mark !== undefined && { annotations: { [annotations.unusedSince]: mark } }),
  });
}

const markOf = (commit: string, at: number) => `${commit} ${timestampOf(at)}`;

function proposedCommit(known: ProposedCommit['status']): ProposedCommit {
  return {
    ...typeMeta(ProposedCommit),
    metadata: { name: 'app-dev', namespace: 'team' },
    spec: {
      repoRef: { name: 'deployments' },
      proposedBranch: 'dev-next',
      activeBranch: 'dev',
      autoMerge: true,
      driftPolicy: 'Overwrite',
    },
    ...(known && { status: known }),
  };
}

function decide(commitStatuses: CommitStatus[], change: Partial<ObservedGarbage> = {}, at = now) {
  const observed = {
    commitStatuses,
    strategies: [strategy({ dev: active })],
    proposedCommits: [
      proposedCommit({ active: { hydratedSHA: active }, proposed: { hydratedSHA: proposed } }),
    ],
    others: [],
    commitsIn: (object: KubeObject) => new NamedCommits().in(object),
    ...change,
  };
  const { marks, removals, requeueAfterMs } = decideGarbage(observed, ttl, at);
  return {
    marks: Object.fromEntries(marks.map(({ target, value }) => [target.key.name, value])),
    removals: removals.map(({ key }) => key.name),
    requeueAfterMs,
  };
}

const nothing = { marks: {}, removals: [], requeueAfterMs: undefined };

describe('a CommitStatus', () => {
  it.each<[string, CommitStatus, object]>([
    ['of a commit that runs', status('x', active), nothing],
    ['of a commit that is proposed', status('x', proposed), nothing],
    ['out of use', status('x', gone), { ...nothing, marks: { x: markOf(gone, now) }, requeueAfterMs: ttl }],
    [
      'marked not long ago',
      status('x', gone, markOf(gone, now - ttl + hour)),
      { ...nothing, requeueAfterMs: hour },
    ],
    ['marked long ago', status('x', gone, markOf(gone, now - ttl)), { ...nothing, removals: ['x'] }],
    [
      'marked, and in use again',
      status('x', active, markOf(active, now - ttl)),
      { ...nothing, marks: { x: null } },
    ],
    [
      'marked for a commit other than its current commit',
      status('x', gone, markOf(sha('dd'), now - ttl)),
      { ...nothing, marks: { x: markOf(gone, now) }, requeueAfterMs: ttl },
    ],
    [
      'marked with an invalid value',
      status('x', gone, 'yesterday'),
      { ...nothing, marks: { x: markOf(gone, now) }, requeueAfterMs: ttl },
    ],
    [
      'marked in the future',
      status('x', gone, markOf(gone, now + hour)),
      { ...nothing, marks: { x: markOf(gone, now) }, requeueAfterMs: ttl },
    ],
    [
      'younger than the mark that its manifest contained',
      status('x', gone, markOf(gone, now - 2 * ttl), now - hour),
      { ...nothing, requeueAfterMs: ttl - hour },
    ],
    [
      'that is being deleted',
      commitStatus('x', 'lint', gone, 'success', { deletionTimestamp: timestampOf(now) }),
      nothing,
    ],
  ])('is kept, marked or removed: %s', (_case, one, expected) => {
    expect(decide([one])).toEqual(expected);
  });

  it('is removed only in the observed version', () => {
    const observed = {
      commitStatuses: [status('x', gone, markOf(gone, now - ttl))],
      proposedCommits: [],
      others: [],
      commitsIn: () => [],
    };
    const { removals } = decideGarbage({ ...observed, strategies: [strategy({ dev: active })] }, ttl, now);
    expect(removals).toEqual([{ key: { namespace: 'team', name: 'x' }, uid: 'uid-x', resourceVersion: '7' }]);
  });

  it('is in use when a healthy revert target or a pull request names it', () => {
    const healthy = strategy({ dev: active });
    Object.assign(healthy.status?.environments?.[0] ?? {}, {
      lastHealthyDrySHAs: [{ sha: sha('dd'), hydratedSHA: gone, time: timestampOf(now) }],
    });
    expect(decide([status('x', gone)], { strategies: [healthy] })).toEqual(nothing);
    const pull: KubeObject & { spec: object } = {
      ...typeMeta(PullRequest),
      metadata: { name: 'app-dev' },
      spec: { headSHA: gone },
    };
    expect(decide([status('x', gone)], { others: [pull] })).toEqual(nothing);
  });
});

describe('a repository', () => {
  const old = () => [status('x', gone, markOf(gone, now - ttl))];
  it.each<[string, Partial<ObservedGarbage>]>([
    ['that no object uses', { strategies: [], proposedCommits: [] }],
    [
      'whose strategy does not know its branches yet',
      { strategies: [{ ...strategy({ dev: active }), status: {} }] },
    ],
    [
      'whose proposed commit does not know its branches yet',
      { proposedCommits: [proposedCommit(undefined)] },
    ],
  ])('%s is left alone', (_case, change) => {
    expect(decide(old(), change)).toEqual(nothing);
    expect(decide(old()).removals).toEqual(['x']);
  });
});

describe('collection', () => {
  it('removes no CommitStatus whose commit is in use, or has been unused for less than the TTL', () => {
    const one = fc.record({
      commit: fc.constantFrom(active, proposed, gone),
      markedHours: fc.option(fc.nat(60)),
    });
    fc.assert(
      fc.property(fc.array(one), (ones) => {
        const statuses = ones.map(({ commit, markedHours }, index) =>
          status(
            `s${index}`,
            commit,
            markedHours === null ? undefined : markOf(commit, now - markedHours * hour),
          ),
        );
        const due = ones.flatMap(({ commit, markedHours }, index) =>
          commit === gone && (markedHours ?? 0) >= 24 ? [`s${index}`] : [],
        );
        expect(decide(statuses).removals).toEqual(due);
      }),
    );
  });
});
