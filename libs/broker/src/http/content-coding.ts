import { TypedError } from '@interlock/api';
import { gunzipSync } from 'node:zlib';

/** Who answers, for messages, and the maximum size of the content of the answer. */
interface ContentLimit {
  host: string;
  maxBytes: number;
}

/** Returns the error for an answer that is larger than its limit, with or without its content coding. */
export function answerTooLarge({ host, maxBytes }: ContentLimit): TypedError {
  const message = `the answer of ${host} is larger than ${maxBytes} bytes`;
  return new TypedError('Invalid', message, { reason: 'AnswerTooLarge' });
}

/**
 * Returns the content of an answer without its content coding (RFC 9110, 8.4): a server or a proxy may use gzip although `identity`
 * was requested.
 *
 * @param coding the value of the header Content-Encoding
 * @throws TypedError `Invalid` for another coding, and for content that is damaged or larger than its limit
 */
export function decodeContent(content: Buffer, coding: string | string[], limit: ContentLimit): Buffer {
  const name = String(coding).toLowerCase();
  if (content.length === 0 || name === '' || name === 'identity') return content;
  if (name !== 'gzip' && name !== 'x-gzip') {
    const shown = /^[\w, -]{1,40}$/.test(name) ? name : 'with an invalid name';
    throw malformed(limit, `has the content coding ${shown}, which was not requested; check the proxy`);
  }
  try {
    return gunzipSync(content, { maxOutputLength: limit.maxBytes });
  } catch (error) {
    throw error instanceof RangeError
      ? answerTooLarge(limit)
      : malformed(limit, 'is damaged: it is not gzip');
  }
}

function malformed({ host }: ContentLimit, why: string): TypedError {
  return new TypedError('Invalid', `the answer of ${host} ${why}`, { reason: 'MalformedAnswer' });
}
