import { expect, it } from '@jest/globals';
import { conditionSeverity } from './condition-severity.js';

it.each([
  ['True', 'AllAvailable', 'Normal'],
  ['False', 'AGCNotReady', 'Warning'],
  ['False', 'GateClosed', 'Normal'],
  ['False', 'Deleting', 'Normal'],
  ['False', 'RepositoryNotRead', 'Normal'],
  ['False', 'Committing', 'Normal'],
] as const)('reports Ready %s because of %s as %s', (status, reason, severity) => {
  expect(conditionSeverity({ type: 'Ready', status, reason })).toBe(severity);
});
