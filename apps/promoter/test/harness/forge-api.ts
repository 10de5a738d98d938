import type { Fixture } from './fixture.js';

/** Calls the API of the forge below `/repos/` as a user. @throws Error when the forge refuses it. */
export async function callForge(
  { platform: { forge }, user }: Fixture,
  method: string,
  path: string,
  payload: object,
): Promise<void> {
  const response = await fetch(`${forge.apiUrl}/repos/${path}`, {
    method,
    headers: { authorization: `token ${user.user.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}
