import { request, type Dispatcher } from 'undici';
import type { Forge } from '../index.js';
import { openForge, templateRepository } from './forge.js';

export interface GiteaSandbox {
  forge: Forge;
  tokens: { owner: string; write: string; read: string; stranger: string };
  /**
   * Sends a request, by default as `dev`, who has write access.
   *
   * @param path below the repository, or below the API with a leading `//`.
   */
  ask(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: unknown }>;
}

/** Returns a forge with acme/web, a copy of the template. */
export async function giteaSandbox(): Promise<GiteaSandbox> {
  const forge = await openForge();
  const at = { owner: 'acme', name: 'web' };
  const person = async (login: string): Promise<string> => (await forge.createUser({ login })).token;
  const tokens = {
    owner: await person('acme'),
    write: await person('dev'),
    read: await person('guest'),
    stranger: await person('eve'),
  };
  await forge.createRepository({ ...at, from: { path: await templateRepository() } });
  await forge.grant({ ...at, login: 'dev', role: 'write' });
  await forge.grant({ ...at, login: 'guest', role: 'read' });
  return {
    forge,
    tokens,
    async ask(method, path, body, token = tokens.write) {
      const below = path.startsWith('//') ? path.slice(1) : `/repos/acme/web${path}`;
      const answer = await request(`${forge.url}/api/v1${below}`, {
        method,
        headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const json = text !== '' && /json/.test(String(answer.headers['content-type']));
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: json ? (JSON.parse(text) as unknown) : text,
      };
    },
  };
}
