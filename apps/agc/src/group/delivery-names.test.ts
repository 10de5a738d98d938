import { expect, it } from '@jest/globals';
import { DeliveryNames } from './delivery-names.js';

it('does not ask again about jobs that were observed, however many there are', () => {
  const deliveries = new DeliveryNames();
  for (let job = 0; job < 100; job++) deliveries.set(`request-${job}`, `job-${job}`);
  const asked: string[] = [];
  const isObserved = (name: string): boolean => asked.push(name) > 0 && name !== 'job-7';
  expect([deliveries.unobserved(isObserved), asked.length]).toEqual([1, 100]);
  expect([deliveries.unobserved(isObserved), asked.length]).toEqual([1, 101]);
  deliveries.set('request-again', 'job-8');
  expect([deliveries.unobserved(() => false), deliveries.keysOf('job-8')]).toEqual([
    2,
    ['request-8', 'request-again'],
  ]);
  for (const key of ['request-7', 'request-8', 'request-again']) deliveries.delete(key);
  expect([deliveries.unobserved(() => false), deliveries.names().size]).toEqual([0, 98]);
});
