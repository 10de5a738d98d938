import { BodyTooLarge, readBody, type Request } from '../http/message.js';

/** Sufficient for a blob of GitHub's limit, 40 MB, in base64. */
const maxBodyBytes = 60 * 1024 * 1024;

/** Returns the body of a request, or undefined if it exceeds the limit. */
export async function bodyOf({ stream }: Request): Promise<Buffer | undefined> {
  try {
    return await readBody(stream, maxBodyBytes);
  } catch (error) {
    if (error instanceof BodyTooLarge) return undefined;
    throw error;
  }
}

/** Returns the value of a JSON body, or undefined for an empty body. @throws the error that `malformed` returns */
export function parseJson(body: Buffer, malformed: () => Error): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw malformed();
  }
}
