import { rootCertificates } from 'node:tls';
import { Agent, request } from 'undici';
import { goJson, isObject } from '../../schema/json.js';
import type { Json, JsonObject } from '../../schema/types.js';
import { goNetworkError, serverErrorText } from './call-errors.js';
import type { Hook, HookClient } from './hook.js';
import type { ServiceAddress } from './services.js';

/** Returns the current address of a port of a Service. */
type ServiceResolver = (namespace: string, name: string, port: number) => ServiceAddress;

/** Maximum number of webhook endpoints with kept connections; the oldest is replaced. */
const maxAgents = 50;
const maxAnswerBytes = 16 * 1024 * 1024;

/** A failed call. The message is the text that the API server adds to `failed to call webhook: `. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/** The endpoint of a webhook: its address, and the dialled host and port. */
interface Way {
  /** The URL in messages. Go keeps an explicit default port. */
  address: string;
  shown: URL;
  dialled: URL;
  /** The name for which the certificate is verified; default: the host of the address. */
  servername?: string;
}

/** Calls webhooks over TLS, with connections kept between calls. */
export class WebhookClient {
  readonly #services: ServiceResolver;
  readonly #agents = new Map<string, Agent>();

  constructor(services: ServiceResolver) {
    this.#services = services;
  }

  /** Posts a review and returns the answer's JSON. Throws WebhookCallError. */
  async call({ client, timeoutSeconds }: Hook, review: JsonObject): Promise<Json> {
    const way = this.#wayTo(client, timeoutSeconds);
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    try {
      const { statusCode, headers, body } = await request(
        `${way.dialled.origin}${way.shown.pathname}${way.shown.search}`,
        {
          method: 'POST',
          dispatcher: this.#agentFor(client.caBundle, way),
          headers: {
            host: way.shown.host,
            'content-type': 'application/json',
            accept: 'application/json, */*',
            'user-agent': 'kube-apiserver-admission',
          },
          body: goJson(review),
          signal,
        },
      );
      const text = await readBounded(body);
      if (statusCode >= 200 && statusCode < 300) return parseAnswer(text);
      throw new WebhookCallError(serverErrorText(statusCode, String(headers['content-type'] ?? ''), text));
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      const why = signal.aborted ? 'context deadline exceeded' : goNetworkError(error, way.dialled);
      throw new WebhookCallError(`Post "${way.address}": ${why}`);
    }
  }

  /** Drops all connections. */
  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #wayTo({ url, service }: HookClient, timeoutSeconds: number): Way {
    const query = `?timeout=${String(timeoutSeconds)}s`;
    if (service === undefined) {
      const address = `${url ?? ''}${query}`;
      const shown = new URL(address);
      return { address, shown, dialled: shown };
    }
    const { namespace, name, path, port } = service;
    const servername = `${name}.${namespace}.svc`;
    const address = `https://${servername}:${String(port)}${path}${query}`;
    const resolved = this.#services(namespace, name, port);
    if ('problem' in resolved) throw new WebhookCallError(`Post "${address}": ${resolved.problem}`);
    return { address, shown: new URL(address), dialled: resolved.dialled, servername };
  }

  #agentFor(caBundle: string, { dialled, servername }: Way): Agent {
    const key = `${dialled.origin}\n${servername ?? ''}\n${caBundle}`;
    const existing = this.#agents.get(key);
    if (existing !== undefined) return existing;
    const [oldestKey, oldest] = this.#agents.size < maxAgents ? [] : ([...this.#agents][0] ?? []);
    if (oldestKey !== undefined && oldest !== undefined) {
      this.#agents.delete(oldestKey);
      void oldest.close();
    }
    const ca = caBundle === '' ? [...rootCertificates] : caBundle;
    const agent = new Agent({ connect: { ca, ...(servername === undefined ? {} : { servername }) } });
    this.#agents.set(key, agent);
    return agent;
  }
}

async function readBounded(body: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw new WebhookCallError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseAnswer(text: string): Json {
  let answer: Json;
  try {
    answer = JSON.parse(text) as Json;
  } catch {
    throw new WebhookCallError(`couldn't get version/kind; json parse error: ${firstError(text)}`);
  }
  if (!isObject(answer)) {
    throw new WebhookCallError("couldn't get version/kind; json parse error: the answer is not an object");
  }
  for (const field of ['kind', 'apiVersion']) {
    if (typeof answer[field] === 'string' && answer[field] !== '') continue;
    throw new WebhookCallError(
      `Object '${field === 'kind' ? 'Kind' : 'apiVersion'}' is missing in '${text}'`,
    );
  }
  return answer;
}

/** Returns the text of Go's syntax error, if it can be derived. */
function firstError(text: string): string {
  const first = text.trimStart().charAt(0);
  return first === '' || first === '{'
    ? 'unexpected end of JSON input'
    : `invalid character '${first}' looking for beginning of value`;
}
