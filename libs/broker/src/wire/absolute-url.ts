/**
 * Resolves a URL from a service, which may be relative to the URL of that service. An invalid URL is returned
 * unchanged; the check of hosts refuses it.
 */
export function absoluteUrl(url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}
