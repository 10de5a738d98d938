import { describe, expect, it } from '@jest/globals';
import { aborted } from '@interlock/base';
import { SharedRuns } from './shared-runs.js';

class Follower {
  state: 'new' | 'running' | 'ended' = 'new';

  async run(signal: AbortSignal): Promise<void> {
    this.state = 'running';
    await aborted(signal);
    this.state = 'ended';
  }
}

describe('SharedRuns', () => {
  it('runs one follower for all its owners, until the last owner leaves', async () => {
    const runs = new SharedRuns<Follower>();
    let made = 0;
    const create = (): Follower => {
      made++;
      return new Follower();
    };
    runs.follow('a', 'x', create);
    runs.follow('b', 'x', create);
    const x = runs.get('x');
    expect([made, x?.state]).toEqual([1, 'new']);
    const stop = new AbortController();
    const ended = runs.run(stop.signal);
    expect(x?.state).toBe('running');
    expect(runs.ownersOf('x')).toEqual(['a', 'b']);
    runs.follow('a', 'y', create);
    runs.leave('b');
    await Promise.resolve();
    expect([x?.state, runs.get('x'), runs.get('y')?.state]).toEqual(['ended', undefined, 'running']);
    runs.follow('a', 'y', create);
    expect(made).toBe(2);
    const y = runs.get('y');
    stop.abort();
    await ended;
    expect(y?.state).toBe('ended');
  });
});
