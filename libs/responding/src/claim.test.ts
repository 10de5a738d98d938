import { expect, it } from '@jest/globals';
import { defaultResponderName, notClaimed } from './claim.js';
import { responseOf } from './testing/objects.js';

it.each([
  ['GitOpsChange', { name: defaultResponderName }, undefined],
  ['GitOpsChange', { name: 'other' }, 'it is for the responder "other"'],
  ['GitOpsChange', {}, 'it is for the responder ""'],
  ['PodFreeze', { name: defaultResponderName }, 'its action is "PodFreeze"'],
])('action %s of %j', (type, responder, reason) => {
  const answer = notClaimed(responseOf({ action: { type }, responder }), defaultResponderName);
  expect(answer).toEqual(reason && expect.stringContaining(reason));
});
