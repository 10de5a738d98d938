import { expect, it } from '@jest/globals';
import { qosClass } from '@interlock/api/quantities';
import { record, worker } from '../job/testing/builders.js';
import { runnerContainerOf } from './runner-container.js';

it.each([
  ['limits', 'nvidia.com/gpu'],
  ['requests', 'ephemeral-storage'],
])('requests CPU and memory, without limits, for a runner that has only %s of %s', (field, name) => {
  const resources = { [field]: { [name]: '1' } };
  const containers = [{ name: 'runner', resources }];
  const { runner } = runnerContainerOf({ containers }, 'image', record, worker);
  expect(qosClass({ containers: [runner] })).toBe('Burstable');
  expect(runner.resources).toMatchObject(resources);
  expect(runner.resources?.limits ?? {}).not.toHaveProperty('memory');
});
