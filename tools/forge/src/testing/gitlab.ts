import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Gitlab } from '@gitbeaker/rest';
import { request, type Dispatcher } from 'undici';
import type { Forge, ForgeOptions, RepositoryHandle } from '../index.js';
import { git, openForge, templateRepository, temporaryFolder } from './forge.js';

interface GitlabAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface GitlabSandbox {
  forge: Forge;
  /** acme/platform/web, a copy of the template. */
  repository: RepositoryHandle;
  /** A clone with the token of `dev`. */
  clone: string;
  /** Tokens by role in the project. */
  tokens: { admin: string; write: string; read: string; stranger: string };
  /** gitbeaker as `dev`, who has write access. */
  gitlab: InstanceType<typeof Gitlab<false>>;
  /** Path of the project in the API. */
  project: string;
  /** Sends a request with `PRIVATE-TOKEN`, by default the token of `dev`. */
  ask(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
    options?: { token?: string; headers?: Record<string, string> },
  ): Promise<GitlabAnswer>;
}

export async function gitlabSandbox(options: ForgeOptions = {}): Promise<GitlabSandbox> {
  const forge = await openForge(options);
  const at = { owner: 'acme/platform', name: 'web' };
  const template = await templateRepository();
  const repository = await forge.createRepository({ ...at, from: { path: template } });
  const person = async (login: string, role?: 'admin' | 'write' | 'read'): Promise<string> => {
    const { token } = await forge.createUser({ login });
    if (role !== undefined) await forge.grant({ ...at, login, role });
    return token;
  };
  const tokens = {
    admin: await person('mo', 'admin'),
    write: await person('dev', 'write'),
    read: await person('guest', 'read'),
    stranger: await person('eve'),
  };
  const clone = join(await temporaryFolder(), 'clone');
  await cp(template, clone, { recursive: true });
  const remote = repository.cloneUrl.replace('http://', `http://oauth2:${tokens.write}@`);
  await git(clone, 'remote', 'add', 'origin', remote);
  return {
    forge,
    repository,
    clone,
    tokens,
    gitlab: new Gitlab({ host: forge.url, token: tokens.write }),
    project: `/projects/${encodeURIComponent(repository.fullName)}`,
    async ask(method, path, body, { token = tokens.write, headers = {} } = {}) {
      const answer = await request(`${forge.url}/api/v4${path}`, {
        method,
        headers: {
          ...(token === '' ? {} : { 'private-token': token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const json = /json/.test(String(answer.headers['content-type']));
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: json ? (JSON.parse(text) as unknown) : text,
      };
    },
  };
}
