import { expect, test } from '@jest/globals';
import { zoneOf } from './zone.js';

test('keeps one zone for all spellings of a name', () => {
  expect(zoneOf('eUROPE/bERLIN')).toBe(zoneOf('Europe/Berlin'));
});
