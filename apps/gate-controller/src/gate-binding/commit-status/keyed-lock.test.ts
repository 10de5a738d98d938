import { expect, it } from '@jest/globals';
import { KeyedLock } from './keyed-lock.js';

it('runs the tasks of a key one after another, also after one that failed, and keys at the same time', async () => {
  const lock = new KeyedLock();
  const events: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const task = (name: string, until?: Promise<unknown>) => async () => {
    events.push(`${name} begins`);
    await until;
    events.push(`${name} ends`);
    return name;
  };
  const first = lock.run('a', task('first', released));
  const failing = lock.run('a', () => Promise.reject(new Error('no')));
  const second = lock.run('a', task('second'));
  await expect(lock.run('b', task('other'))).resolves.toBe('other');
  expect(events).toEqual(['first begins', 'other begins', 'other ends']);
  release();
  await expect(failing).rejects.toThrow('no');
  await expect(Promise.all([first, second])).resolves.toEqual(['first', 'second']);
  expect(events.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});
