import { withoutEnd } from '@interlock/api';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { authorization, type RemoteAccess } from '../process/environment.js';
import { fetchRequest, readPack, type PackQuestion } from './fetch-objects.js';
import {
  AGENT,
  lsRefsRequest,
  NotOffered,
  readCapabilities,
  readRefs,
  type Capabilities,
} from './ls-refs.js';
import { ProtocolError, readPackets, type Packet } from './pkt-line.js';

const SERVICE = 'git-upload-pack';
const MAX_CONNECTIONS_PER_HOST = 8;
/* Shorter than the time after which anything in between forgets a connection that says nothing. */
const KEEP_ALIVE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Git's smart HTTP protocol (gitprotocol-http(5)) in version 2, as far as references and single objects need it; redirects are not followed. What
 * its methods throw besides `NotOffered` says that the remote has not answered as it should, or is the signal's reason.
 */
export class HttpClient {
  private dispatcher: Dispatcher | undefined;

  /** `connectTimeoutMs`: milliseconds. */
  constructor(private readonly connectTimeoutMs: number) {}

  /** @throws NotOffered when `ls-refs` can never be asked for. */
  async capabilities(remote: RemoteAccess, signal: AbortSignal): Promise<Capabilities> {
    const path = `/info/refs?service=${SERVICE}`;
    const type = `application/x-${SERVICE}-advertisement`;
    const body = await this.ask(remote, path, { method: 'GET' }, type, signal);
    return readCapabilities(readPackets(body));
  }

  /** @returns object ids of those of `names` that the remote has. */
  async refs(
    remote: RemoteAccess,
    capabilities: Capabilities,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    return readRefs(await this.#post(remote, lsRefsRequest(capabilities, names), signal), names);
  }

  /** Returns the pack that a remote makes. @param maxBytes bound of the answer. @throws NotOffered when it cannot. */
  async pack(
    remote: RemoteAccess,
    capabilities: Capabilities,
    question: PackQuestion,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    if (!capabilities.fetch) throw new NotOffered('it has no fetch');
    if (question.haves !== undefined && !capabilities.filter) throw new NotOffered('it has no filter');
    return readPack(await this.#post(remote, fetchRequest(capabilities, question), signal), maxBytes);
  }

  /** Ends all connections. */
  close(): void {
    void this.dispatcher?.destroy();
  }

  async #post(remote: RemoteAccess, body: Buffer, signal: AbortSignal): Promise<AsyncIterable<Packet>> {
    const type = `application/x-${SERVICE}-result`;
    return readPackets(await this.ask(remote, `/${SERVICE}`, { method: 'POST', body }, type, signal));
  }

  private async ask(
    { url, credentials }: RemoteAccess,
    path: string,
    question: { method: 'GET' | 'POST'; body?: Buffer },
    type: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { statusCode, headers, body } = await request(withoutEnd(url, '/') + path, {
      ...question,
      headers: {
        'user-agent': AGENT,
        accept: type,
        'accept-encoding': 'identity',
        'git-protocol': 'version=2',
        ...(question.body && { 'content-type': `application/x-${SERVICE}-request` }),
        ...(credentials && { authorization: authorization(credentials) }),
      },
      signal,
      dispatcher: (this.dispatcher ??= this.open()),
    });
    const { 'content-type': given, 'content-encoding': encoding = 'identity' } = headers;
    if (statusCode === 200 && given === type && encoding === 'identity') return body;
    body.on('error', () => undefined).destroy(); // What is left of it is of no interest.
    if (statusCode >= 300 && statusCode < 400) throw new NotOffered('it redirects');
    throw new ProtocolError(`it answers ${statusCode} with ${String(given)}`);
  }

  /* The time for the whole answer is bounded by the signal. */
  private open(): Dispatcher {
    return new EnvHttpProxyAgent({
      connections: MAX_CONNECTIONS_PER_HOST,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_ANSWER_BYTES,
      connect: { timeout: this.connectTimeoutMs },
    });
  }
}
