/** Splits `GET /repos/{owner}/{repo}/contents/{path+}`. A name with `+` also matches slashes, and may be empty. */
interface Route<T> {
  method: string;
  template: string;
  value: T;
}

export interface Found<T> {
  route: Route<T>;
  parameters: Record<string, string>;
}

/** Finds the route for a method and a path. The more literal of two templates takes precedence. */
export class Router<T> {
  readonly #routes: { route: Route<T>; pattern: RegExp; weight: string }[] = [];

  constructor(routes: readonly Route<T>[]) {
    this.#routes = routes
      .map((route) => ({ route, pattern: patternOf(route.template), weight: weightOf(route.template) }))
      .sort((a, b) => (a.weight < b.weight ? -1 : a.weight > b.weight ? 1 : 0));
  }

  /** Returns undefined if no route is registered, or if the path is not encoded correctly. */
  find(method: string, path: string): Found<T> | undefined {
    const sought = method === 'HEAD' ? 'GET' : method;
    for (const { route, pattern } of this.#routes) {
      if (route.method !== sought) continue;
      const match = pattern.exec(path);
      if (match === null) continue;
      const parameters: Record<string, string> = {};
      try {
        for (const [name, text] of Object.entries(match.groups ?? {})) {
          parameters[name] = decodeURIComponent(text ?? '');
        }
      } catch {
        return undefined;
      }
      return { route, parameters };
    }
    return undefined;
  }
}

function patternOf(template: string): RegExp {
  const source = template
    .split(/(\/?\{\w+\+?\})/)
    .map((part) => {
      const [, slash = '', name, rest] = /^(\/?)\{(\w+)(\+?)\}$/.exec(part) ?? [];
      if (name === undefined) return part.replace(/[.+?^$()|[\]\\]/g, '\\$&');
      if (rest === '') return `${slash}(?<${name}>[^/]+)`;
      return `(?:${slash}(?<${name}>.*))?`;
    })
    .join('');
  return new RegExp(`^${source}/?$`);
}

/**
 * Returns a sort key that orders literal segments before variable segments, variable segments before the end, and the
 * end before segments that match slashes.
 */
function weightOf(template: string): string {
  const parts = template
    .split('/')
    .map((part) => (part.includes('+}') ? '3' : part.startsWith('{') ? '1' : '0'));
  return `${parts.join('')}2`;
}
