import { expect, test } from '@jest/globals';
import { Fields } from './fields.js';

test.each<[title: string, object: unknown, names: string[], value: unknown]>([
  ['a field as it is written', { jobId: 'a' }, ['jobId'], 'a'],
  ['a field in another case', { JOBID: 'a' }, ['jobId'], 'a'],
  ['the first name that has a value', { job_id: null, JobID: 'a' }, ['job_id', 'jobId'], 'a'],
  ['the exact name rather than another case', { jobId: 'a', JobId: 'b' }, ['jobId'], 'a'],
  ['nothing for a missing field', { jobId: 'a' }, ['planId'], undefined],
  ['nothing for a field that is null', { jobId: null }, ['jobId'], undefined],
  ['nothing for a property that every object has', {}, ['constructor', '__proto__'], undefined],
  ['nothing in a list', [1], ['0', 'length'], undefined],
])('finds %s', (_title, object, names, value) => {
  expect(new Fields(object).value(...names)).toBe(value);
});
