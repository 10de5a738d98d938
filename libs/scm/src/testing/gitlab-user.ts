import type { Forge, UserHandle } from '@interlock/forge';
import { ApiUser } from './api-user.js';

export class GitlabUser extends ApiUser {
  constructor(forge: Forge, user: UserHandle) {
    super(forge, user, '/api/v4');
  }

  /** Returns the body of the response; `path` is below `/api/v4`. @throws Error for a refusal. */
  async ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: Record<string, unknown>): Promise<T> {
    return (await this.send(method, path, body)) as T;
  }
}
