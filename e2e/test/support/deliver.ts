import { createHmac } from 'node:crypto';
import { fetch } from 'undici';
import { webhookSecret } from './team.js';

/** An event about a repository. */
interface Delivery {
  /** Kind of the event, such as `push`. */
  kind: string;
  payload: object;
}

/** Delivers an event about a repository as GitHub does. Returns the response. */
export async function deliver(
  url: string,
  { owner, name }: { owner: string; name: string },
  event: Delivery,
  secret = webhookSecret,
): Promise<{ status: number; message: string }> {
  const body = JSON.stringify({ ...event.payload, repository: { name, owner: { login: owner } } });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event.kind,
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
  const { message } = (await answer.json()) as { message: string };
  return { status: answer.status, message };
}
