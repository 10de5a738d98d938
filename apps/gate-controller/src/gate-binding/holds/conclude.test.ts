import { describe, expect, it } from '@jest/globals';
import { annotations, TypedError } from '@interlock/api';
import { Failure } from '@interlock/kube';
import type { BindingVerdict } from '../actuator.js';
import type { HoldOutcome } from './act.js';
import { concludeHold } from './conclude.js';
import type { HoldDecision } from './decide.js';
import type { OwnGates } from './observed.js';
import { fluxObject, since, verdict } from './testing/builders.js';

const warning = { reason: 'Resumed' as const, note: 'the hold was removed' };
const hold: HoldDecision = {
  type: 'hold',
  hold: { by: ['freeze'], since, reason: 'closed' },
  method: { type: 'suspend' },
  warning,
};
const event = { type: 'Warning', action: 'Hold', ...warning };
const failure = new Failure(new TypedError('Transient', 'no'), false);

const asking = fluxObject({ notes: { [annotations.gates]: 'freeze' } });
const unknown: BindingVerdict = {
  ...verdict('Closed'),
  gates: [{ name: 'freeze', namespace: 'apps', state: 'Unknown', message: 'it does not exist' }],
};

function conclude(
  decision: HoldDecision,
  outcome: HoldOutcome | Failure,
  object = fluxObject(),
  own?: OwnGates,
) {
  return concludeHold({ object, claims: [], mayRelease: true, own }, decision, outcome);
}

describe('concludeHold', () => {
  it.each<[string, HoldDecision, HoldOutcome | Failure, object[]]>([
    ['warns of a hold that was undone and is written again', hold, 'applied', [event]],
    ['also warns when the write failed', hold, failure, [event]],
    ['does not warn while the hold waits', hold, 'waiting', []],
    ['records no event for a release', { type: 'release' }, 'applied', []],
  ])('%s', (_case, decision, outcome, expected) => {
    expect(conclude(decision, outcome).happened).toEqual(expected);
  });

  it.each<[string, OwnGates | undefined, string[]]>([
    ['of an object that is not a source', undefined, ['is supported on sources only']],
    ['that cannot be read', { problem: 'names no gate', verdict: verdict('Closed') }, ['names no gate']],
    ['that name a gate which does not exist', { verdict: unknown }, ['it does not exist']],
    ['that are correct', { verdict: verdict('Closed') }, []],
  ])('determines whether to warn of annotations %s', (_case, own, notes) => {
    const { happened = [], requeueAfterMs } = conclude({ type: 'free' }, 'untouched', asking, own);
    expect(happened.map(({ reason }) => reason)).toEqual(notes.map(() => 'InvalidGates'));
    for (const [index, note] of notes.entries()) expect(happened[index]?.note).toContain(note);
    expect(requeueAfterMs).toBe(own && 60_000);
  });

  it('sets no time for the retry of a failure, because the type of the error determines it', () => {
    expect(conclude(hold, failure, asking, { verdict: verdict('Closed') })).toEqual({ happened: [event] });
  });
});
