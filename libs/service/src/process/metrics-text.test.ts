import { expect, test } from '@jest/globals';
import { MetricsText } from './metrics-text.js';

test('renders the metrics once for concurrent clients, and in a tenth of the time for all later ones', async () => {
  let now = 1_000;
  let rendered = 0;
  const text = new MetricsText(
    async () => {
      now += 5;
      await Promise.resolve();
      return `rendered ${++rendered}`;
    },
    () => now,
  );
  expect(await Promise.all([text.get(), text.get(), text.get()])).toEqual(Array(3).fill('rendered 1'));
  now += 44;
  expect(await text.get()).toBe('rendered 1');
  now += 1;
  expect(await text.get()).toBe('rendered 2');
});

test('renders the metrics again after an error', async () => {
  let now = 0;
  let calls = 0;
  const render = () =>
    ++calls === 1 ? Promise.reject(new Error('a collector failed')) : Promise.resolve('x');
  const text = new MetricsText(render, () => (now += 1));
  await expect(text.get()).rejects.toThrow('a collector failed');
  now += 100;
  expect(await text.get()).toBe('x');
});
