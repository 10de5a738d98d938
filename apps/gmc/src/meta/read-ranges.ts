import { messageOf, TypedError } from '@interlock/api';
import { timeLimit, waitFor } from '@interlock/base';
import { tunnelClients } from '@interlock/base/proxy-tunnel';
import { mergeCidr } from 'cidr-tools';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import * as z from 'zod';

const maxBytes = 4 * 1024 * 1024;
/* A NetworkPolicy with more of them could exceed 1.5 MiB, the limit of etcd for one object. GitHub lists about 7,000. */
const maxRanges = 20_000;
const timeoutMs = 30_000;

/* A larger network would open the policies of all proxies to addresses that do not belong to GitHub. */
const shortestPrefix = { 4: 8, 6: 16 } as const;

function isSmall(network: string): boolean {
  const prefix = Number(network.slice(network.indexOf('/') + 1));
  return prefix >= shortestPrefix[network.includes(':') ? 6 : 4];
}

const ranges = z.array(z.union([z.cidrv4(), z.cidrv6()]).refine(isSmall, 'is too large'));
const meta = z.object({ api: ranges, web: ranges, actions: ranges.default([]) });

interface MetaOptions {
  /** URL from which GitHub publishes its networks, such as https://api.github.com/meta. */
  url: string;
  signal: AbortSignal;
  /** Default: one that uses HTTPS_PROXY and NO_PROXY. */
  dispatcher?: Dispatcher | undefined;
}

/**
 * Returns the networks of GitHub (REST API, "Get GitHub meta information"): the networks of its API, of its pages and of Actions.
 *
 * @returns networks in CIDR form, merged and in order
 * @throws TypedError `Transient` when GitHub does not answer, `Permanent` when the answer does not contain the networks
 */
export async function readGithubRanges({ url, signal, dispatcher }: MetaOptions): Promise<string[]> {
  /* Requests are a day apart, so connections are not kept alive. */
  const own = dispatcher ?? new EnvHttpProxyAgent({ clientFactory: tunnelClients(timeoutMs) });
  try {
    const text = await readText(url, own, signal);
    return parseGithubRanges(text, url);
  } finally {
    if (dispatcher === undefined) await own.destroy();
  }
}

async function readText(url: string, dispatcher: Dispatcher, signal: AbortSignal): Promise<string> {
  const limit = timeLimit(timeoutMs, signal);
  try {
    const answer = request(url, {
      signal: limit,
      headers: { accept: 'application/vnd.github+json', 'user-agent': 'interlock-gmc' },
      dispatcher,
    });
    /* undici does not end a request that still waits for the tunnel through a proxy. */
    const { statusCode, body } = await waitFor(answer, limit);
    if (statusCode !== 200) {
      await body.dump({ limit: maxBytes });
      throw new TypedError('Transient', `${url} answers ${statusCode}`);
    }
    return await readBounded(body, url);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypedError) throw error;
    throw new TypedError('Transient', `${url} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the networks in GitHub's answer. @throws TypedError `Permanent` when there are none */
function parseGithubRanges(text: string, url: string): string[] {
  const parsed = meta.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TypedError(
      'Permanent',
      `the answer of ${url} does not contain the networks of GitHub: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    );
  }
  const { api, web, actions } = parsed.data;
  if (api.length === 0)
    throw new TypedError('Permanent', `the answer of ${url} does not list a network of the GitHub API`);
  const all = [...api, ...web, ...actions];
  if (all.length > maxRanges)
    throw new TypedError(
      'Permanent',
      `the answer of ${url} lists ${all.length} networks, more than ${maxRanges}`,
    );
  return mergeCidr(all).sort();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readBounded(body: Dispatcher.ResponseData['body'], url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new TypedError('Permanent', `${url} answers with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
