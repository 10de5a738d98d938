import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BodyTooLarge } from '../http/message.js';

/**
 * Receives a complete body before it is used, so that a slow client does not block other clients.
 *
 * @param directory folder for the temporary file, which is deleted after `use`.
 * @throws BodyTooLarge
 */
export async function spooled<T>(
  body: Readable,
  { directory, maxBytes }: { directory: string; maxBytes: number },
  use: (body: Readable) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(directory, 'push-'));
  try {
    const file = join(folder, 'body');
    await pipeline(body, limit(maxBytes), createWriteStream(file));
    return await use(createReadStream(file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function limit(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(new BodyTooLarge(`the push has more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
}
