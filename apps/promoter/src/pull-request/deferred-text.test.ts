import { describe, expect, it } from '@jest/globals';
import { getCondition } from '@interlock/kube';
import { pullRequestStatus } from './status.js';
import { info, now, pullRequest, url } from './testing/builders.js';
import { isDeferred, specDigest } from './text.js';

const object = pullRequest({ spec: { title: 'Sell tea' } });
const known = info({ title: 'Sell tea', headSha: 'a'.repeat(40) });
const source = { plugin: 'github', url };
const problem = { reason: 'ContentLimit', message: 'deferred: the budget is spent' };

describe('the status of a pull request whose text has to wait', () => {
  const status = pullRequestStatus(object, source, { info: known, deferred: true, problem }, now);

  it('reports the reason in the condition Ready, and records the pull request', () => {
    expect(getCondition(status.conditions, 'Ready')).toMatchObject({ status: 'False', ...problem });
    expect(status).toMatchObject({ state: 'open', plugin: { github: { id: 7 } } });
    expect(isDeferred(status.specDigest)).toBe(true);
  });

  it('reports the reason until the text is sent', () => {
    const later = pullRequestStatus({ ...object, status }, source, { info: known }, now + 60_000);
    expect(getCondition(later.conditions, 'Ready')).toMatchObject({ status: 'False', ...problem });
    const sent = pullRequestStatus({ ...object, status: later }, source, { info: known, sent: true }, now);
    expect(getCondition(sent.conditions, 'Ready')).toMatchObject({ status: 'True' });
    expect(sent.specDigest).toBe(specDigest(object.spec));
  });
});
