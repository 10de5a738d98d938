import { askForge, type Forge, type UserHandle } from '@interlock/forge';

/** A user of a forge, who acts on its API with a separate token, without the plugin. */
export abstract class ApiUser {
  readonly login: string;
  readonly token: string;
  readonly #api: string;

  constructor(forge: Forge, { login, token }: UserHandle, apiPath: string) {
    this.#api = `${forge.url}${apiPath}`;
    this.login = login;
    this.token = token;
  }

  /** Returns the body of the response, or undefined if it is empty. @throws Error for a refusal. */
  protected send(method: string, path: string, body?: Record<string, unknown>): Promise<unknown> {
    return askForge(method, `${this.#api}${path}`, this, body);
  }
}
