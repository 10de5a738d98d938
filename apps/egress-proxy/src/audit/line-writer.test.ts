import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import { LineWriter } from './line-writer.js';

/** Returns a writer to an output that takes lines when `answer` is called. */
function setup() {
  const clock = new FakeClock();
  const texts: string[] = [];
  let answer: (error?: Error) => void = () => undefined;
  const write = (text: string, onWritten: (error?: Error) => void): void => {
    texts.push(text);
    answer = onWritten;
  };
  const writer = new LineWriter({ writableLength: 0, write }, clock);
  return { clock, texts, writer, answer: (error?: Error) => answer(error) };
}

describe('LineWriter', () => {
  it('counts the lines that could not be written, because the output is closed', async () => {
    const { clock, texts, writer, answer } = setup();
    writer.write('one');
    writer.write('two');
    await clock.advance(100);
    expect([texts, writer.dropped]).toEqual([['one\ntwo\n'], 0]);
    answer(new Error('EPIPE'));
    expect(writer.dropped).toBe(2);
    writer.write('three');
    await clock.advance(100);
    answer();
    expect(writer.dropped).toBe(2);
  });

  it.each([
    [
      'as soon as the output has taken the last lines',
      async ({ answer }: ReturnType<typeof setup>) => answer(),
    ],
    ['2 s later if the output does not take the last lines', async ({ clock }) => clock.advance(2_000)],
  ])('finishes %s', async (_title, conclude) => {
    const parts = setup();
    parts.writer.write('last');
    let isFinished = false;
    const finished = parts.writer.finish().then(() => (isFinished = true));
    await parts.clock.advance(1_900);
    expect([parts.texts, isFinished]).toEqual([['last\n'], false]);
    await conclude(parts);
    await finished;
  });
});
