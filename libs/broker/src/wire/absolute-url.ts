/** Returns a URL that a service names, which may be relative to its own; what is not a URL is returned as it is, for the check of hosts. */
export function absoluteUrl(url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}
