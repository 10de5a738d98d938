import { expect, it } from '@jest/globals';
import { defaultResponderName, isEventOf, notClaimed } from './claim.js';
import { eventOf, responseOf } from './testing/objects.js';

it.each([
  ['GitOpsChange', { name: defaultResponderName }, undefined],
  ['GitOpsChange', { name: 'other' }, 'it is for the responder "other"'],
  ['GitOpsChange', {}, 'it is for the responder ""'],
  ['PodFreeze', { name: defaultResponderName }, 'its action is "PodFreeze"'],
])('action %s of %j', (type, responder, reason) => {
  const answer = notClaimed(responseOf({ action: { type }, responder }), defaultResponderName);
  expect(answer).toEqual(reason && expect.stringContaining(reason));
});

it.each([
  [{ name: 'se-1', uid: 'u-1' }, true],
  [{ name: 'se-1' }, true],
  [{ uid: 'u-1' }, true],
  [{ name: 'se-1', uid: '' }, true],
  [{ name: 'se-1', uid: 'u-9' }, false],
  [{ name: 'se-2', uid: 'u-1' }, false],
  [{ name: '', uid: '' }, false],
  [{}, false],
])('%j is the event: %j', (securityEventRef, expected) => {
  expect(isEventOf(responseOf({ securityEventRef }), eventOf())).toBe(expected);
});
