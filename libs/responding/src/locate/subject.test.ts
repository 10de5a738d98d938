import { expect, it } from '@jest/globals';
import { eventOf, responseOf } from '../testing/objects.js';
import { subjectOf } from './subject.js';

const labels = { team: 'a' };
const seen = { kind: 'Deployment', name: 'api', namespace: 'prod', labels, annotations: { x: 'y' } };

it.each([
  ['the subject of the event', undefined, seen, seen],
  [
    'the target, which the event knows',
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api', namespace: 'prod' },
    seen,
    { apiVersion: 'apps/v1', ...seen },
  ],
  [
    'the target, when the event is about another object',
    { kind: 'Deployment', name: 'web' },
    seen,
    { kind: 'Deployment', name: 'web' },
  ],
  [
    'the target, when the event is of nothing',
    { kind: 'Deployment', name: 'web' },
    {},
    { kind: 'Deployment', name: 'web' },
  ],
  ['nothing', { kind: 'Deployment' }, { name: '' }, undefined],
])('%s', (_, targetRef, subject, expected) => {
  const action = { type: 'GitOpsChange', ...(targetRef && { targetRef }) };
  expect(subjectOf(responseOf({ action }), eventOf({ subject }))).toEqual(expected);
});

it('does without the event', () => {
  expect(subjectOf(responseOf(), undefined)).toBeUndefined();
});
