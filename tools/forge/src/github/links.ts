import { RestLinks } from '../rest/links.js';

/** The URLs in the responses of GitHub, for users (`html`) and for programs (`api`). */
export class Links extends RestLinks {
  readonly prefix = '/api/v3';

  repository(owner: string, name: string): { html: string; api: string; clone: string } {
    const path = `${owner}/${name}`;
    return {
      html: `${this.html}/${path}`,
      api: `${this.api}/repos/${path}`,
      clone: `${this.html}/${path}.git`,
    };
  }
}

/** Returns a global id in the older format of GitHub. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`${String(type.length).padStart(3, '0')}:${type}${id}`).toString('base64');
}
