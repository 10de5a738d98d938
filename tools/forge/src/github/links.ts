/** The URLs in GitHub's answers, for people (`html`) and for programs (`api`). */
export class Links {
  /** @param origin of the forge, known only once it listens. */
  constructor(readonly origin: () => string) {}

  get html(): string {
    return this.origin();
  }

  get api(): string {
    return `${this.html}/api/v3`;
  }

  repository(owner: string, name: string): { html: string; api: string; clone: string } {
    const path = `${owner}/${name}`;
    return {
      html: `${this.html}/${path}`,
      api: `${this.api}/repos/${path}`,
      clone: `${this.html}/${path}.git`,
    };
  }
}

/** @returns a global id in the form of GitHub's older ones. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`${String(type.length).padStart(3, '0')}:${type}${id}`).toString('base64');
}
