import { expect, test } from '@jest/globals';
import { InTurn } from './in-turn.js';

/** Work that lasts until it is told to end. */
function held(log: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async (): Promise<string> => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end: () => end() };
}

test('work of one key is done in the order of asking, that of others meanwhile', async () => {
  const log: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => held(log, name));
  const turns = new InTurn();
  const one = turns.run('a', async () => first?.work());
  const two = turns.run('a', async () => second?.work());
  const three = turns.run('b', async () => other?.work());
  other?.end();
  await three;
  second?.end();
  first?.end();
  expect(await Promise.all([one, two])).toEqual(['first', 'second']);
  expect(log.filter((line) => !line.startsWith('other'))).toEqual([
    'first begins',
    'first ends',
    'second begins',
    'second ends',
  ]);
  expect(log.indexOf('other ends')).toBeLessThan(log.indexOf('first ends'));
});

test('a failure is for its own caller only', async () => {
  const turns = new InTurn();
  const failed = turns.run('a', () => Promise.reject(new Error('no')));
  const next = turns.run('a', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('next');
});

test('an aborted wait ends at once, is not made up for, and lets nobody pass those before', async () => {
  const log: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => held(log, name));
  const turns = new InTurn();
  const abort = new AbortController();
  const one = turns.run('a', async () => first?.work());
  const two = turns.run('a', async () => second?.work(), abort.signal);
  const three = turns.run('a', async () => third?.work());
  abort.abort(new Error('stop'));
  await expect(two).rejects.toThrow('stop');
  expect(log).toEqual(['first begins']);
  first?.end();
  third?.end();
  await Promise.all([one, three]);
  expect(log).toEqual(['first begins', 'first ends', 'third begins', 'third ends']);
});
