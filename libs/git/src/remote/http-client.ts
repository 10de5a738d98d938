import { withoutEnd } from '@interlock/api';
import { waitFor } from '@interlock/base';
import { tunnelClients } from '@interlock/base/proxy-tunnel';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { authorization, type RemoteAccess } from '../process/environment.js';
import { fetchRequest, readPack, type PackQuestion } from './fetch-objects.js';
import {
  agent,
  lsRefsRequest,
  NotOffered,
  readCapabilities,
  readRefs,
  type Capabilities,
} from './ls-refs.js';
import { ProtocolError, readPackets, type Packet } from './pkt-line.js';

const serviceKind = 'git-upload-pack';
const maxConnectionsPerHost = 8;
/* Shorter than the time after which intermediaries drop an idle connection. */
const keepAliveMs = 10_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Git's smart HTTP protocol (gitprotocol-http(5)) in version 2, as far as references and single objects require it;
 * redirects are not followed. Apart from `NotOffered`, its methods throw an error for an unusable response, or the signal's
 * reason.
 */
export class HttpClient {
  #dispatcher: Dispatcher | undefined;

  readonly #connectTimeoutMs: number;

  /** `connectTimeoutMs`: milliseconds. */
  constructor(connectTimeoutMs: number) {
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /** Returns the capabilities of a remote. @throws NotOffered when it does not support `ls-refs`. */
  async capabilities(remote: RemoteAccess, signal: AbortSignal): Promise<Capabilities> {
    const path = `/info/refs?service=${serviceKind}`;
    const type = `application/x-${serviceKind}-advertisement`;
    const body = await this.#ask(remote, path, { method: 'GET' }, type, signal);
    return readCapabilities(readPackets(body));
  }

  /** Returns the object ids of the `names` that the remote has. */
  async refs(
    remote: RemoteAccess,
    capabilities: Capabilities,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    return readRefs(await this.#post(remote, lsRefsRequest(capabilities, names), signal), names);
  }

  /** Returns the pack that a remote sends. @param maxBytes bound of the response. @throws NotOffered when it cannot send one. */
  async pack(
    remote: RemoteAccess,
    capabilities: Capabilities,
    question: PackQuestion,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    if (!capabilities.fetch) throw new NotOffered('it does not offer fetch');
    if (question.haves !== undefined && !capabilities.filter)
      throw new NotOffered('it does not offer filter');
    return readPack(await this.#post(remote, fetchRequest(capabilities, question), signal), maxBytes);
  }

  /** Ends all connections. */
  close(): void {
    void this.#dispatcher?.destroy();
  }

  async #post(remote: RemoteAccess, body: Buffer, signal: AbortSignal): Promise<AsyncIterable<Packet>> {
    const type = `application/x-${serviceKind}-result`;
    return readPackets(await this.#ask(remote, `/${serviceKind}`, { method: 'POST', body }, type, signal));
  }

  async #ask(
    { url, credentials }: RemoteAccess,
    path: string,
    question: { method: 'GET' | 'POST'; body?: Buffer },
    type: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const answer = request(withoutEnd(url, '/') + path, {
      ...question,
      headers: {
        'user-agent': agent,
        accept: type,
        'accept-encoding': 'identity',
        'git-protocol': 'version=2',
        ...(question.body && { 'content-type': `application/x-${serviceKind}-request` }),
        ...(credentials && { authorization: authorization(credentials) }),
      },
      signal,
      dispatcher: (this.#dispatcher ??= this.#open()),
    });
    /* undici does not end a request that still waits for a connection or the tunnel through a proxy. */
    const { statusCode, headers, body } = await waitFor(answer, signal);
    const { 'content-type': given, 'content-encoding': encoding = 'identity' } = headers;
    if (statusCode === 200 && given === type && encoding === 'identity') return body;
    body.on('error', () => undefined).destroy(); // The rest of the body is not needed.
    if (statusCode >= 300 && statusCode < 400) throw new NotOffered('it redirects');
    throw new ProtocolError(`it responds ${statusCode} with ${String(given)}`);
  }

  /* The signal bounds the time of the whole response. */
  #open(): Dispatcher {
    return new EnvHttpProxyAgent({
      connections: maxConnectionsPerHost,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: maxAnswerBytes,
      connect: { timeout: this.#connectTimeoutMs },
      clientFactory: tunnelClients(this.#connectTimeoutMs),
    });
  }
}
