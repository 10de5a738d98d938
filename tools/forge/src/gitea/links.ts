import type { Core } from '../domain/core.js';
import type { Repository } from '../domain/model.js';

/** The URLs in Gitea's answers. */
export class Links {
  /** @param origin of the forge, known only once it listens. */
  constructor(readonly origin: () => string) {}

  get html(): string {
    return this.origin();
  }

  get api(): string {
    return `${this.html}/api/v1`;
  }

  repository(core: Core, repository: Repository): { html: string; api: string; path: string } {
    const path = `${core.owner(repository).login}/${repository.name}`;
    return { path, html: `${this.html}/${path}`, api: `${this.api}/repos/${path}` };
  }
}
