import type { Core } from '../domain/core.js';
import type { Repository } from '../domain/model.js';
import { RestLinks } from '../rest/links.js';

/** The URLs in the responses of GitLab. */
export class Links extends RestLinks {
  readonly prefix = '/api/v4';

  project(core: Core, repository: Repository): { html: string; api: string; path: string } {
    const path = `${core.owner(repository).login}/${repository.name}`;
    return { path, html: `${this.html}/${path}`, api: `${this.api}/projects/${repository.id}` };
  }
}
