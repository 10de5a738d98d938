/** Returns the URL when it is one that a browser may open from a page of the SCM. */
export function readableUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? url : undefined;
}
