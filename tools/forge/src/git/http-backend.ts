import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { gitEnvironment } from './run.js';

export interface BackendRequest {
  /** The bare repository. */
  repositoryPath: string;
  /** What follows the repository in the URL, such as `/info/refs`. */
  service: string;
  method: string;
  query: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
  /** Login of who asks; git accepts no push without one. */
  user: string;
  env?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface BackendAnswer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

const maxHeaderBytes = 16 * 1024;

/**
 * Answers one request of the smart HTTP protocol with git's own CGI program (git-http-backend(1)): compressed request
 * bodies, protocol version 2 and partial clones are its business.
 *
 * @returns the answer as soon as its header is known; the body streams.
 * @throws Error when the program ends without a header.
 */
export function httpBackend(request: BackendRequest): Promise<BackendAnswer> {
  const child = spawn('git', ['http-backend'], {
    env: gitEnvironment({ ...request.env, ...cgiVariables(request) }),
    stdio: ['pipe', 'pipe', 'ignore'],
    signal: request.signal,
  });
  child.stdin.on('error', () => undefined);
  request.body.on('error', () => child.kill());
  request.body.pipe(child.stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    readHeader(child.stdout).then(resolve, (error: unknown) => {
      child.kill();
      reject(error);
    });
  });
}

function cgiVariables({ repositoryPath, service, method, query, headers, user }: BackendRequest) {
  const header = (name: string): string => String(headers[name] ?? '');
  return {
    GIT_PROJECT_ROOT: repositoryPath,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: service,
    REQUEST_METHOD: method,
    QUERY_STRING: query,
    CONTENT_TYPE: header('content-type'),
    ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: header('content-length') }),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
    REMOTE_USER: user,
    REMOTE_ADDR: '127.0.0.1',
    GIT_COMMITTER_NAME: user,
    GIT_COMMITTER_EMAIL: `${user}@users.noreply.github.com`,
  };
}

/** Reads a CGI header (RFC 3875, 6) and leaves the stream at the first byte of the body. */
async function readHeader(stream: Readable): Promise<BackendAnswer> {
  let head = Buffer.alloc(0);
  const body = stream.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  for await (const chunk of body) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end >= 0) {
      stream.unshift(head.subarray(end + 4));
      return { ...parseHeader(head.subarray(0, end).toString('latin1')), body: stream };
    }
    if (head.length > maxHeaderBytes) break;
  }
  throw new Error('git http-backend gave no header');
}

function parseHeader(text: string): { status: number; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'status') status = Number.parseInt(value, 10);
    else headers[name] = value;
  }
  return { status, headers };
}
