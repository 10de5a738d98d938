import type { Base } from '../options.js';
import type { Call, Reply } from './message.js';

/** An endpoint. A segment `{name}` of the template takes any text that is not empty. */
export interface EndpointRoute {
  base: Base;
  method: string;
  template: string;
  run(call: Call): Reply | Promise<Reply>;
}

interface FoundRoute {
  route: EndpointRoute;
  params: Record<string, string>;
}

interface CompiledRoute {
  route: EndpointRoute;
  segments: string[];
}

/** Finds endpoints by method and path. */
export class RouteTable {
  readonly #byShape = new Map<string, CompiledRoute[]>();

  constructor(routes: readonly EndpointRoute[]) {
    for (const route of routes) {
      const segments = route.template.split('/').slice(1);
      const shape = `${route.method} ${String(segments.length)}`;
      this.#byShape.set(shape, [...(this.#byShape.get(shape) ?? []), { route, segments }]);
    }
    /* A literal segment wins over a parameter at its place. */
    const rank = ({ segments }: CompiledRoute): string =>
      segments.map((segment) => (segment.startsWith('{') ? '1' : '0')).join('');
    for (const list of this.#byShape.values()) list.sort((a, b) => rank(a).localeCompare(rank(b)));
  }

  /** Returns the endpoint; undefined when there is none or the path is not well encoded. */
  find(method: string, path: string): FoundRoute | undefined {
    const parts = path.split('/').slice(1);
    for (const { route, segments } of this.#byShape.get(`${method} ${String(parts.length)}`) ?? []) {
      const params = matchSegments(segments, parts);
      if (params !== undefined) return { route, params };
    }
    return undefined;
  }
}

function matchSegments(
  segments: readonly string[],
  parts: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== part) return undefined;
      continue;
    }
    if (part === '') return undefined;
    try {
      params[segment.slice(1, -1)] = decodeURIComponent(part);
    } catch {
      return undefined;
    }
  }
  return params;
}
