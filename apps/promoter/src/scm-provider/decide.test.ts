import { describe, expect, it } from '@jest/globals';
import { ScmProvider, timestampOf, TypedError, typeMeta, type Condition } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import type { AccountProblem } from '@interlock/scm';
import { decideProvider, type ObservedProvider } from './decide.js';

const now = 10 * 3_600_000;

function observed(rest: Omit<ObservedProvider, 'provider'>, known?: Condition[]): ObservedProvider {
  const provider: ScmProvider = {
    ...typeMeta(ScmProvider),
    metadata: { name: 'forge', namespace: 'team', generation: 3 },
    spec: { secretRef: { name: 'forge' }, github: {} },
    ...(known && { status: { conditions: known } }),
  };
  return { provider, ...rest };
}

const refused = new TypedError('Unauthorized', 'the credential is refused', { reason: 'BadCredentials' });
const limited = new TypedError('RateLimited', 'the rate limit is used up');
const silent = new TypedError('Transient', 'no answer', { reason: 'Network' });

describe('the conditions of a provider', () => {
  it.each<[string, Omit<ObservedProvider, 'provider'>, [string, string, string | undefined]]>([
    ['report Ready when nothing is wrong', {}, ['True', 'Usable', undefined]],
    [
      'report Stalled without the Secret of the provider',
      {
        problem: new TypedError('NotFound', 'Secret team/forge does not exist', { reason: 'SecretNotFound' }),
      },
      ['False', 'SecretNotFound', 'Stalled'],
    ],
    [
      'report Stalled as soon as the SCM refuses the credential',
      { accountProblem: { error: refused, since: now } },
      ['False', 'BadCredentials', 'Stalled'],
    ],
    [
      'report a problem of the provider itself before a problem of its calls',
      {
        problem: new TypedError('Invalid', 'two SCMs', { reason: 'UnknownScm' }),
        accountProblem: { error: refused, since: now },
      },
      ['False', 'UnknownScm', 'Stalled'],
    ],
    [
      'report Ready for the first minute in which the server does not answer',
      { accountProblem: { error: silent, since: now - 59_999 } },
      ['True', 'Usable', undefined],
    ],
    [
      'report Reconciling when the server does not answer for a minute',
      { accountProblem: { error: silent, since: now - 60_000 } },
      ['False', 'Network', 'Reconciling'],
    ],
    [
      'report Reconciling immediately when the SCM requests a delay of more than a minute',
      { accountProblem: { error: limited, since: now, until: now + 35 * 60_000 } },
      ['False', 'RateLimited', 'Reconciling'],
    ],
  ])('%s', (_, rest, [status, reason, mark]) => {
    const { conditions } = decideProvider(observed(rest), now);
    expect(getCondition(conditions, 'Ready')).toMatchObject({ status, reason, observedGeneration: 3 });
    expect(conditions.map(({ type }) => type).filter((type) => type !== 'Ready')).toEqual(mark ? [mark] : []);
  });

  it('no longer report problems that have ended', () => {
    const before = decideProvider(
      observed({ accountProblem: { error: refused, since: now } }),
      now,
    ).conditions;
    const { conditions } = decideProvider(observed({}, before), now + 1_000);
    expect(conditions).toEqual([
      expect.objectContaining({
        type: 'Ready',
        status: 'True',
        lastTransitionTime: timestampOf(now + 1_000),
      }),
    ]);
  });

  it.each<[string, AccountProblem | undefined, number | undefined]>([
    ['nothing is wrong', undefined, undefined],
    ['a problem has not lasted long enough', { error: silent, since: now - 20_000 }, 40_000],
    ['a problem has lasted long enough', { error: silent, since: now - 90_000 }, undefined],
    ['the SCM asked to wait', { error: limited, since: now, until: now + 300_000 }, 300_000],
    ['the time to wait has elapsed', { error: limited, since: now - 300_000, until: now - 1 }, undefined],
  ])('are due again at a known time when %s', (_, trouble, dueInMs) => {
    expect(decideProvider(observed({ accountProblem: trouble }), now).dueInMs).toBe(dueInMs);
  });
});
