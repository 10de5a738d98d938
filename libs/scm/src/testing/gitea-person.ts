import { ForgePerson } from './forge-person.js';

/** A user of Gitea. */
export class GiteaPerson extends ForgePerson {
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
