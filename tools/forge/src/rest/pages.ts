/** A page of a list. */
export interface Page<T> {
  items: T[];
  headers: Record<string, string>;
}

interface Cut<T> {
  items: T[];
  page: number;
  /** Number of items on a page. */
  size: number;
  /** The number of the last page; also 1 for an empty list. */
  last: number;
}

const maxSize = 100;

/** Returns the page that the query requests. @param unpaged size of a page if `per_page` is absent */
export function cut<T>(items: readonly T[], query: URLSearchParams, unpaged: number): Cut<T> {
  const wanted = positive(query.get('per_page'));
  const size = wanted === undefined ? unpaged : Math.min(maxSize, wanted);
  const page = positive(query.get('page')) ?? 1;
  const last = Math.max(1, Math.ceil(items.length / size));
  return { items: items.slice((page - 1) * size, page * size), page, size, last };
}

/** Returns an element of a `Link` header (RFC 8288) to another page of the list at `url`. */
export function linkTo(url: string, query: URLSearchParams, page: number, rel: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `<${url}?${parameters.toString()}>; rel="${rel}"`;
}

function positive(text: string | null): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
