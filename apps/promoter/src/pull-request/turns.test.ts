import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

/** A task that ends when told to, and notes its begin and end. */
function task(name: string, log: string[]) {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve(name) : reject(error));
  });
  const run = async (): Promise<string> => {
    log.push(`${name} begins`);
    return ended.finally(() => log.push(`${name} ends`));
  };
  return { run, end: (error?: Error) => end(error) };
}

describe('turns', () => {
  it('are taken one after the other by the same key, at once by others', async () => {
    const log: string[] = [];
    const [a, b, c] = [task('a', log), task('b', log), task('c', log)];
    const turns = new Turns();
    const results = [turns.take('x', a.run), turns.take('x', b.run), turns.take('y', c.run)];
    c.end();
    expect(await results[2]).toBe('c');
    expect(log).toEqual(['a begins', 'c begins', 'c ends']);
    a.end();
    b.end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
    expect(log.slice(3)).toEqual(['a ends', 'b begins', 'b ends']);
  });

  it('go on after one that failed', async () => {
    const [a, b] = [task('a', []), task('b', [])];
    const turns = new Turns();
    const [first, second] = [turns.take('x', a.run), turns.take('x', b.run)];
    a.end(new Error('no'));
    await expect(first).rejects.toThrow('no');
    b.end();
    await expect(second).resolves.toBe('b');
  });
});
