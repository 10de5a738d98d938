import { expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { Wakes } from './wakes.js';

it('wakes a binding soon, and then at most once per interval', async () => {
  const clock = new FakeClock();
  const start = clock.now();
  const wakes = new Wakes(clock, 1_000);
  const woken: string[] = [];
  wakes.subscribe(({ name }) => woken.push(`${name} ${clock.now() - start}`));
  for (let turn = 0; turn < 25; turn++) {
    wakes.add({ namespace: 'apps', name: 'busy' });
    if (turn === 10) wakes.add({ namespace: 'apps', name: 'calm' });
    await clock.advance(100);
  }
  expect(woken).toEqual(['busy 100', 'busy 1100', 'calm 1100', 'busy 2100']);
  await clock.advance(5_000);
  wakes.add({ namespace: 'apps', name: 'busy' });
  await clock.advance(100);
  expect(woken.slice(4)).toEqual(['busy 3100', 'busy 7600']);
});
