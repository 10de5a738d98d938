import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { RunnerChannel } from './channel.js';
import { frameChunks, frameTypes } from './frames.js';
import { decodeFrames } from './testing/decode-frames.js';
import { closedPipe, KeptPipe, stuckPipe } from './testing/streams.js';

const job = (text = '{}'): Iterable<Buffer> => frameChunks(frameTypes.newJobRequest, text);

describe('the channel to the runner', () => {
  it('writes frames one after another, and holds one chunk at a time', async () => {
    const pipe = new KeptPipe();
    const channel = new RunnerChannel(pipe, new FakeClock(), 30_000);
    const text = 'x'.repeat(200_000);
    await Promise.all([channel.send(job(text)), channel.send(frameChunks(frameTypes.cancelRequest))]);
    expect(decodeFrames(pipe.bytes)).toEqual([
      { type: 1, text },
      { type: 2, text: '' },
    ]);
    expect(pipe.mostOpen).toBe(1);
  });

  it('fails after 30 seconds when the runner does not read, and not before', async () => {
    const clock = new FakeClock();
    const pipe = stuckPipe();
    const failures: unknown[] = [];
    const sent = new RunnerChannel(pipe, clock, 30_000)
      .send(job())
      .catch((error: unknown) => failures.push(error));
    await clock.advance(29_999);
    expect(failures).toEqual([]);
    await clock.advance(1);
    await sent;
    expect(failures).toEqual([new Error('the runner did not read its message within 30 s')]);
    expect(pipe.destroyed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports that the runner has closed its pipe', async () => {
    const clock = new FakeClock();
    const channel = new RunnerChannel(closedPipe(), clock, 30_000);
    await expect(channel.send(job())).rejects.toThrow('the runner has closed its pipe (EPIPE)');
    await expect(channel.send(job())).rejects.toThrow('the runner has closed its pipe');
    expect(clock.pendingTimers).toBe(0);
  });

  it('calls back before the last chunk, without which the frame cannot be read', async () => {
    const pipe = new KeptPipe();
    const channel = new RunnerChannel(pipe, new FakeClock(), 30_000);
    const stop = new Error('stopped');
    const sent = channel.send(job('x'.repeat(100_000)), () => {
      throw stop;
    });
    await expect(sent).rejects.toBe(stop);
    expect(pipe.bytes.length).toBeGreaterThan(64 * 1024);
    expect(() => decodeFrames(pipe.bytes)).toThrow('does not end');
  });
});
