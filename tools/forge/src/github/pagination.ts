export interface Page<T> {
  items: T[];
  headers: Record<string, string>;
}

const defaultSize = 30;
const maxSize = 100;

/**
 * GitHub, "Using pagination in the REST API": `per_page` up to 100, `page` from 1, and a `Link` header.
 *
 * @param unpaged size of a page when `per_page` is not given.
 */
export function pageOf<T>(
  items: readonly T[],
  query: URLSearchParams,
  url: string,
  unpaged = defaultSize,
): Page<T> {
  const wanted = positive(query.get('per_page'));
  const size = wanted === undefined ? unpaged : Math.min(maxSize, wanted);
  const page = positive(query.get('page')) ?? 1;
  const last = Math.max(1, Math.ceil(items.length / size));
  const part = items.slice((page - 1) * size, page * size);
  const link = (number: number, rel: string): string => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    return `<${url}?${parameters.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ];
  return { items: part, headers: links.length === 0 ? {} : { link: links.join(', ') } };
}

function positive(text: string | null): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
