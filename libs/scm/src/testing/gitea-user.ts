import { ForgeApiUser } from './forge-api-user.js';

/** A user of Gitea. */
export class GiteaUser extends ForgeApiUser {
  /** Returns the body of the answer, undefined when it is empty; `path` is below `/api/v1`. @throws Error for a refusal. */
  async ask<T>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: Record<string, unknown>,
  ): Promise<T | undefined> {
    const text = await this.send(method, `/api/v1${path}`, { authorization: `token ${this.token}` }, body);
    return text === '' ? undefined : (JSON.parse(text) as T);
  }
}
