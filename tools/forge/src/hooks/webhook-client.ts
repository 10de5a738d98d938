import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';

/** A webhook of GitHub with arbitrary content. */
interface GithubDelivery {
  /** The secret with which the webhook is signed; if empty, the webhook is not signed. */
  secret: string;
  event: string;
  body: string;
}

/** Delivers a webhook as GitHub does. Returns the response. */
export async function deliverGithub(
  url: string,
  { secret, event, body }: GithubDelivery,
): Promise<{ status: number; text: string }> {
  const signature =
    secret === '' ? undefined : `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      ...(signature !== undefined && { 'x-hub-signature-256': signature }),
    },
    body,
  });
  return { status: statusCode, text: await answer.text() };
}

/** Sends the head of a POST request without its body. Returns the first line of the response. */
export async function firstLineOf(url: string, headers: readonly string[]): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    socket.write([`POST ${pathname} HTTP/1.1`, `host: ${hostname}`, ...headers, '', ''].join('\r\n'));
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString().split('\r\n', 1)[0] ?? '';
  } finally {
    socket.destroy();
  }
}
