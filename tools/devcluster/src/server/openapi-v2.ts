import type { Answer } from './answer.js';

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const title = 'Kubernetes';

/**
 * Returns the document `/openapi/v2`, which does not describe any kinds. kubectl reads it, as protobuf, for kinds that
 * the other documents do not describe, before it reports them as unknown.
 */
export function openApiV2(version: string, accept = ''): Answer {
  if (!accept.includes('proto-openapi')) {
    return { code: 200, body: { swagger: '2.0', info: { title, version }, paths: {}, definitions: {} } };
  }
  const info = field(1, title) + field(2, version);
  /* Fields of openapi.v2.Document (google/gnostic); all is ASCII, so that characters are bytes. */
  return { code: 200, body: field(1, '2.0') + field(2, info) + field(8, ''), contentType: protobuf };
}

/** Returns a protobuf field of fewer than 128 bytes. */
function field(number: number, content: string): string {
  const lengthDelimited = 2;
  return String.fromCharCode((number << 3) | lengthDelimited, content.length) + content;
}
