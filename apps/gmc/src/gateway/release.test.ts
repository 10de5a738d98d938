import { expect, it } from '@jest/globals';
import { isOtherRelease } from './release.js';

const one = 'sha256:1111';
const two = 'sha256:2222';

it.each([
  ['interlock/agc:1', 'interlock/agc:1', false],
  ['interlock/agc:1', 'interlock/agc:2', true],
  ['registry:5000/interlock/agc:1', 'interlock/agc:1', false],
  ['registry:5000/interlock/agc', 'interlock/agc:1', false],
  [`interlock/agc:1@${one}`, 'interlock/agc:1', false],
  [`interlock/agc:1@${one}`, 'interlock/agc:2', true],
  [`interlock/agc:1@${one}`, `interlock/agc:1@${two}`, true],
  [`interlock/agc@${one}`, `interlock/agc@${two}`, true],
  [`interlock/agc@${one}`, 'interlock/agc:2', false],
])('%s and %s are of other releases: %s', (image, other, expected) => {
  expect(isOtherRelease(image, other)).toBe(expected);
  expect(isOtherRelease(other, image)).toBe(expected);
});
