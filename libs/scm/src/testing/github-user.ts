import type { Forge, UserHandle } from '@interlock/forge';
import { Octokit } from '@octokit/core';
import type { Endpoints } from '@octokit/types';
import { fetch } from 'undici';

/** A user of GitHub, who acts with a separate token, without the plugin. */
export class User {
  readonly login: string;
  readonly token: string;
  readonly #octokit: Octokit;

  constructor(forge: Forge, { login, token }: UserHandle) {
    this.login = login;
    this.token = token;
    this.#octokit = new Octokit({ auth: token, baseUrl: forge.apiUrl, request: { fetch } });
  }

  /** Returns the body of the response. @throws RequestError of octokit for a refusal. */
  async ask<R extends keyof Endpoints>(
    route: R,
    parameters: Endpoints[R]['parameters'],
  ): Promise<Endpoints[R]['response']['data']> {
    const { data } = await this.#octokit.request<string>(route, { ...parameters });
    return data as Endpoints[R]['response']['data'];
  }
}
