import { askForge } from '@interlock/forge';
import type { Fixture } from './fixture.js';

/** Calls the API of the forge below `/repos/` as a user. @throws Error when the forge refuses it. */
export async function callForge(
  { platform: { forge }, user }: Fixture,
  method: 'DELETE' | 'PATCH' | 'POST' | 'PUT',
  path: string,
  payload: object,
): Promise<void> {
  await askForge(method, `${forge.apiUrl}/repos/${path}`, user.user, payload);
}
