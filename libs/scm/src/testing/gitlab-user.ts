import { ForgeApiUser } from './forge-api-user.js';

/** A user of GitLab. */
export class GitlabUser extends ForgeApiUser {
  /** Returns the body of the answer; `path` is below `/api/v4`. @throws Error for a refusal. */
  async ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: Record<string, unknown>): Promise<T> {
    return JSON.parse(await this.send(method, `/api/v4${path}`, { 'private-token': this.token }, body)) as T;
  }
}
