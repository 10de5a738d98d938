import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { ClientMethods } from './client-methods.js';
import { Handled } from './handled.js';
import { ownMemory } from './own-memory.js';
import { pathOfPoll, token } from './poll.js';
import { urlOf, type Endpoint } from './protocols.js';

const streamsOfConnection = 100;

/** Plain long polls with the modules of Node.js: an agent that keeps connections, and no other part of a session. */
export class NodePolls implements ClientMethods {
  readonly #handled = new Handled();
  readonly #agents = { http: agentOf(HttpAgent), https: agentOf(HttpsAgent) };
  #session: { of: ClientHttp2Session; streams: number } | undefined;

  open({ endpoint, from, to }: { endpoint: Endpoint; from: number; to: number }): Promise<number> {
    for (let runner = from; runner < to; runner++) {
      if (endpoint.protocol === 'h2') this.#pollHttp2(this.#sessionFor(endpoint), runner);
      else this.#pollHttp1(endpoint, runner);
    }
    return Promise.resolve(to - from);
  }

  memory(): ReturnType<ClientMethods['memory']> {
    return ownMemory();
  }

  handled({ count, timeoutMs }: { count: number; timeoutMs: number }): ReturnType<ClientMethods['handled']> {
    return this.#handled.wait(count, timeoutMs);
  }

  #pollHttp1(endpoint: Endpoint, runner: number): void {
    const url = `${urlOf(endpoint)}${pathOfPoll(runner)}`;
    const headers = { authorization: `Bearer ${token}` };
    const take = (response: IncomingMessage): void => {
      this.#read(response, () => this.#pollHttp1(endpoint, runner), runner);
    };
    const request =
      endpoint.protocol === 'tcp'
        ? requestHttp(url, { agent: this.#agents.http, headers }, take)
        : requestHttps(url, { agent: this.#agents.https, ca: endpoint.ca, headers }, take);
    request.on('error', () => undefined).end();
  }

  #pollHttp2(session: ClientHttp2Session, runner: number): void {
    const stream = session.request({ ':path': pathOfPoll(runner), authorization: `Bearer ${token}` });
    stream.on('error', () => undefined);
    this.#read(stream, () => this.#pollHttp2(session, runner), runner);
  }

  #sessionFor(endpoint: Endpoint): ClientHttp2Session {
    if (this.#session === undefined || this.#session.streams >= streamsOfConnection) {
      this.#session = { of: connectHttp2(urlOf(endpoint), { ca: endpoint.ca }), streams: 0 };
    }
    this.#session.streams += 1;
    return this.#session.of;
  }

  #read(answer: NodeJS.ReadableStream, pollAgain: () => void, runner: number): void {
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (part: string) => (text += part));
    answer.on('end', () => {
      JSON.parse((JSON.parse(text) as { body: string }).body);
      this.#handled.take(runner);
      pollAgain();
    });
  }
}

function agentOf<T>(Agent: new (options: object) => T): T {
  return new Agent({ keepAlive: true, maxSockets: Infinity });
}
