import { describe, expect, it } from '@jest/globals';
import type { SourceEvent } from '../job-source.js';
import { EventQueue } from './event-queue.js';

const offered = (key: string): SourceEvent => ({ type: 'offered', key });
const health = (state: 'polling' | 'failing', since: number): SourceEvent => ({
  type: 'health',
  health: state === 'polling' ? { state, since } : { state, since, message: 'x' },
});

async function all(queue: EventQueue): Promise<SourceEvent[]> {
  const events: SourceEvent[] = [];
  for await (const event of queue.read()) events.push(event);
  return events;
}

describe('EventQueue', () => {
  it('passes on events in their order, whether the consumer waits or not', async () => {
    const queue = new EventQueue();
    queue.push(offered('a'));
    const reading = all(queue);
    await Promise.resolve();
    queue.push(offered('b'));
    queue.push(offered('c'));
    queue.end();
    expect(await reading).toEqual([offered('a'), offered('b'), offered('c')]);
  });

  it('keeps only the latest of consecutive health events', async () => {
    const queue = new EventQueue();
    queue.push(health('polling', 1));
    queue.push(health('failing', 2));
    queue.push(offered('a'));
    queue.end();
    expect(await all(queue)).toEqual([health('failing', 2), offered('a')]);
  });

  it('ends the wait of the consumer when it ends, and accepts no later event', async () => {
    const queue = new EventQueue();
    const reading = all(queue);
    queue.end();
    queue.push(offered('a'));
    expect(await reading).toEqual([]);
  });
});
