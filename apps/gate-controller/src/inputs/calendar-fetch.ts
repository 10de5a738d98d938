import { messageOf, TypedError } from '@interlock/api';
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { timeLimit, waitFor } from '@interlock/base';
import { tunnelClients } from '@interlock/base/proxy-tunnel';

interface CalendarFetchOptions {
  /** `host`, or `host:port` if the port is not 443. */
  hosts: readonly string[];
  signal: AbortSignal;
  /** Default: one that uses HTTPS_PROXY and NO_PROXY. */
  dispatcher?: Dispatcher | undefined;
}

const maxBytes = 1024 * 1024;
const timeoutMs = 10_000;
const maxRedirects = 3;

/**
 * Returns the text of a calendar, which is read over https from allowed hosts only; the same applies to redirects.
 *
 * @throws TypedError with a sentence that names the field, or the answer of the host
 */
export async function fetchCalendar(
  url: string,
  { dispatcher, ...options }: CalendarFetchOptions,
): Promise<string> {
  if (dispatcher !== undefined) return fetchThrough(dispatcher, url, options);
  /* Requests are minutes apart, so connections are not kept alive. */
  const own = openDispatcher();
  try {
    return await fetchThrough(own, url, options);
  } finally {
    await own.destroy();
  }
}

function openDispatcher(): Dispatcher {
  try {
    return new EnvHttpProxyAgent({ clientFactory: tunnelClients(timeoutMs) });
  } catch (error) {
    throw refusal(
      `HTTPS_PROXY or HTTP_PROXY of the gate-controller is not a URL such as http://proxy:3128: ${messageOf(error)}`,
    );
  }
}

async function fetchThrough(
  dispatcher: Dispatcher,
  url: string,
  options: Omit<CalendarFetchOptions, 'dispatcher'>,
): Promise<string> {
  const signal = timeLimit(timeoutMs, options.signal);
  let target = checked(url, options.hosts);
  try {
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const answer = request(target, {
        signal,
        headers: { accept: 'text/calendar', 'user-agent': 'interlock-gate-controller' },
        dispatcher,
      });
      /* undici does not end a request that still waits for the tunnel through a proxy. */
      const { statusCode, headers, body } = await waitFor(answer, signal);
      if (statusCode === 200) return await text(body);
      await body.dump({ limit: maxBytes });
      const { location } = headers;
      if (statusCode < 300 || statusCode > 399 || typeof location !== 'string') {
        throw refusal(`${target.host} answers ${statusCode}`);
      }
      target = redirected(target, location, options.hosts);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof TypedError) throw error;
    const reason = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
    throw refusal(`${target.host} cannot be read: ${reason}`);
  }
  throw refusal(`${target.host} redirects more than ${maxRedirects} times`);
}

function checked(url: string, hosts: readonly string[]): URL {
  if (!URL.canParse(url)) throw refusal('it is not a URL');
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:') throw refusal('only https URLs are supported');
  if (!hosts.some((host) => hostOf(host) === parsed.host)) {
    throw refusal(`host ${parsed.host} is not allowed; add it to the flag --calendar-hosts`);
  }
  return parsed;
}

/** Returns a host of the flag in the spelling of URLs, which is in lower case and without the default port. */
function hostOf(text: string): string | undefined {
  return URL.canParse(`https://${text}`) ? new URL(`https://${text}`).host : undefined;
}

function redirected(from: URL, location: string, hosts: readonly string[]): URL {
  if (!URL.canParse(location, from.href)) throw refusal(`${from.host} redirects to a text that is not a URL`);
  const target = new URL(location, from);
  if (target.host !== from.host)
    throw refusal(`${from.host} redirects to ${target.host}; use that host in the URL`);
  return checked(target.href, hosts);
}

async function text(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refusal(`the calendar has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal(what: string): TypedError {
  return new TypedError('Permanent', `spec.calendar.url: ${what}`, { reason: 'CalendarNotReadable' });
}
