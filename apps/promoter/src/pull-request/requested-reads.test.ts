import { beforeEach, describe, expect, it } from '@jest/globals';
import { annotations, keyOf, type PullRequest } from '@interlock/api';
import { RequestedReads } from './requested-reads.js';
import { pullRequest } from './testing/builders.js';

const requestedAt = (time: string): PullRequest => {
  const object = pullRequest();
  const requested = { [annotations.pullRequestEventAt]: time };
  return { ...object, metadata: { ...object.metadata, annotations: requested } };
};

describe('a requested read', () => {
  let requests: RequestedReads;
  beforeEach(() => {
    requests = new RequestedReads();
  });

  it('of a webhook is due until it is made, however often it is queried', () => {
    expect(requests.isDue(pullRequest())).toBe(false);
    const object = requestedAt('10:00');
    expect([requests.isDue(object), requests.isDue(object)]).toEqual([true, true]);
    requests.follow(object);
    expect(requests.isDue(object)).toBe(false);
  });

  it('of a webhook that arrives after the read began stays due', () => {
    requests.follow(requestedAt('10:00'));
    expect(requests.isDue(requestedAt('10:01'))).toBe(true);
  });

  it('of the promoter itself is due until it is made', () => {
    requests.request(keyOf(pullRequest()));
    expect(requests.isDue(pullRequest())).toBe(true);
    requests.follow(pullRequest());
    expect(requests.isDue(pullRequest())).toBe(false);
  });

  it('is not kept for a deleted pull request', () => {
    const object = requestedAt('10:00');
    requests.follow(object);
    requests.forget(keyOf(object));
    expect(requests.isDue(object)).toBe(true);
    requests.request(keyOf(object));
    requests.forget(keyOf(object));
    expect(requests.isDue(pullRequest())).toBe(false);
  });
});
