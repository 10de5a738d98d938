import { expect, test } from '@jest/globals';
import { ReceivedBytes } from './received-bytes.js';

test('bytes that arrive before the reader is known are passed on first, although their buffer was overwritten', () => {
  const received = new ReceivedBytes();
  const buffer = Buffer.alloc(1);
  const arrive = (text: string): void => {
    buffer.write(text);
    received.take(buffer);
  };
  const read: string[] = [];
  arrive('a');
  arrive('b');
  received.readBy((bytes) => read.push(bytes.toString()));
  arrive('c');
  expect(read).toEqual(['a', 'b', 'c']);
});
