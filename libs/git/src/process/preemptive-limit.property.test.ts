import { mock } from 'node:test';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PreemptiveLimit } from './preemptive-limit.js';

const size = 4;
const preemptAfterMs = 30_000;
const settle = () => new Promise(setImmediate);

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

interface Step {
  action: 'run' | 'runPreemptible' | 'end' | 'fail' | 'abort' | 'pass' | 'settle';
  owner: string;
  index: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    action: fc.constantFrom(
      'run',
      'runPreemptible',
      'runPreemptible',
      'end',
      'fail',
      'abort',
      'pass',
      'settle',
    ),
    owner: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    index: fc.nat(20),
  }),
  { maxLength: 40 },
);

/** Callers whose tasks run until the test ends them; every second task ends when its signal aborts. */
class Callers {
  readonly running = new Set<{ resolve: () => void; reject: (reason: unknown) => void }>();
  readonly #limit = new PreemptiveLimit(size, preemptAfterMs);
  readonly #controllers: AbortController[] = [];
  #begun = 0;
  waiting = 0;

  take({ action, owner, index }: Step): void {
    const tasks = [...this.running];
    const task = tasks[index % tasks.length];
    if (action === 'run' || action === 'runPreemptible') this.start(owner, action);
    else if (action === 'end') task?.resolve();
    else if (action === 'fail') task?.reject(new Error('failed'));
    else if (action === 'abort') this.#controllers[index % this.#controllers.length]?.abort('gone');
    else if (action === 'pass') mock.timers.tick(preemptAfterMs);
  }

  start(owner: string, how: 'run' | 'runPreemptible'): void {
    const { signal } = this.#controllers[this.#controllers.push(new AbortController()) - 1]!;
    const end = () => void (this.waiting -= 1);
    this.waiting += 1;
    this.#limit[how](owner, (stop: AbortSignal = signal) => this.#task(stop), signal).then(end, end);
  }

  #task(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (how: () => void) => {
        this.running.delete(task);
        how();
      };
      const task = {
        resolve: () => end(resolve),
        reject: (reason: unknown) => end(() => reject(reason as Error)),
      };
      this.running.add(task);
      this.#begun += 1;
      if (this.#begun % 2 === 0)
        signal.addEventListener('abort', () => task.reject(signal.reason), { once: true });
    });
  }
}

test('gives back all places, and answers all callers, however tasks end, fail, abort and are stopped', async () => {
  const property = fc.asyncProperty(steps, async (all) => {
    const callers = new Callers();
    for (const step of all) {
      callers.take(step);
      if (step.action === 'settle') await settle();
      expect(callers.running.size).toBeLessThanOrEqual(size);
    }
    await settle();
    for (let round = 0; round < all.length && callers.waiting > 0; round++) {
      for (const task of callers.running) task.resolve();
      await settle();
    }
    expect(callers).toMatchObject({ waiting: 0, running: new Set() });
    for (const owner of ['a', 'b', 'c', 'd', 'e']) callers.start(owner, 'run');
    await settle();
    expect(callers.running.size).toBe(size);
  });
  await fc.assert(property, { numRuns: 50 });
});
