/** Returns the URL if a browser may open it from a page of the SCM. */
export function readableUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? url : undefined;
}
