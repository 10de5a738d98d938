import type { Forge, UserHandle } from '@interlock/forge';
import { ApiUser } from './api-user.js';

export class GiteaUser extends ApiUser {
  constructor(forge: Forge, user: UserHandle) {
    super(forge, user, '/api/v1');
  }

  /** Returns the body of the response, or undefined if it is empty; `path` is below `/api/v1`. @throws Error for a refusal. */
  async ask<T>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: Record<string, unknown>,
  ): Promise<T | undefined> {
    return (await this.send(method, path, body)) as T | undefined;
  }
}
