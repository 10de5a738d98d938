import { expect, it } from '@jest/globals';
import { defaultResponderName, missingEvent, notClaimed } from './claim.js';
import { eventOf, responseOf } from './testing/objects.js';

it.each([
  ['GitOpsChange', { name: defaultResponderName }, undefined],
  ['GitOpsChange', { name: 'other' }, 'it is for the responder "other"'],
  ['GitOpsChange', {}, 'it is for the responder ""'],
  ['PodFreeze', { name: defaultResponderName }, 'its action is "PodFreeze"'],
])(
  'notClaimed returns why a response with the action %s and the responder %j is not handled, or nothing',
  (type, responder, reason) => {
    const answer = notClaimed(responseOf({ action: { type }, responder }), defaultResponderName);
    expect(answer).toEqual(reason && expect.stringContaining(reason));
  },
);

it.each([
  [{ name: 'se-1', uid: 'u-1' }, eventOf(), undefined],
  [{ name: 'se-1' }, eventOf(), undefined],
  [{ name: 'se-1', uid: '' }, eventOf(), undefined],
  [{ name: '', uid: 'u-1' }, undefined, undefined],
  [{}, undefined, undefined],
  [{ name: 'se-1', uid: 'u-9' }, eventOf(), 'does not have the uid u-9'],
  [{ name: 'se-1' }, undefined, 'SecurityEvent se-1 does not exist'],
])(
  'missingEvent returns why the event of a response is not found, or nothing: %#',
  (securityEventRef, event, reason) => {
    const answer = missingEvent(responseOf({ securityEventRef }), event);
    expect(answer).toEqual(reason && expect.stringContaining(reason));
  },
);
