import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Failure } from '@interlock/kube';
import { consequencesOf, type Consequences } from './consequences.js';
import type { PullRequestDecision } from './decide.js';
import { MergeRefused } from './merge-refused.js';
import type { Outcome } from './status.js';
import { head, info } from './testing/builders.js';

const merge = { type: 'merge', id: 7, sha: head } as const;
const problem = { reason: 'HeldBack', message: 'not merged' };
const refused = (reason: string) =>
  new Failure(new MergeRefused(head, new TypedError('Conflict', 'no', { reason })), true);
const nothing: Consequences = { followsRequest: true, requestsRead: false, refreshes: false };

describe('consequencesOf', () => {
  it.each<[string, PullRequestDecision, Outcome | Failure, Consequences]>([
    ['empty when nothing changed', { type: 'none' }, { info: info() }, nothing],
    ['a refresh after a merge', merge, { info: info({ state: 'merged' }) }, { ...nothing, refreshes: true }],
    [
      'a refresh after the merge by a user',
      { type: 'none' },
      { info: info({ state: 'merged' }) },
      { ...nothing, refreshes: true },
    ],
    ['a refresh when a merge is held back', merge, { problem }, { ...nothing, refreshes: true }],
    ['empty for a deferred text', { type: 'ensure' }, { info: info(), problem }, nothing],
    ['a refresh after a refusal', merge, refused('Blocked'), { ...nothing, refreshes: true }],
    [
      'a read too, when the pull request differs from its status',
      merge,
      refused('HeadMoved'),
      { ...nothing, refreshes: true, requestsRead: true },
    ],
    [
      'empty for another failure',
      { type: 'ensure' },
      new Failure(new TypedError('Transient', 'no'), false),
      nothing,
    ],
    [
      'that a requested read stays due, when the finalizer goes first',
      { type: 'release' },
      {},
      { ...nothing, followsRequest: false },
    ],
    [
      'that a requested read stays due, when the repository is unknown',
      { type: 'report', problem: new Problem('Unreachable', 'the forge is down') },
      {},
      { ...nothing, followsRequest: false },
    ],
  ])('are %s', (_case, decision, outcome, expected) => {
    expect(consequencesOf(decision, outcome)).toEqual(expected);
  });
});
