/** The reason why the response of a remote is unusable. */
export type Miss =
  /** Whether the reason is permanent: the remote redirects, or lacks a capability. */
  | 'never'
  /** It did not this time. */
  | 'now'
  /** It sends more than is read in this way. */
  | 'large';

type Variables = Readonly<Record<string, string | undefined>>;

/* TLS settings; only git and curl use these, or, for the last one, only Node.js. */
const tlsOfOne = /^(GIT_SSL_.+|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|NODE_TLS_REJECT_UNAUTHORIZED)$/;
const maxMisses = 3;

/**
 * Returns whether a request by undici is equivalent to a request by git: over HTTP, without settings that the two
 * interpret differently.
 * @param url the URL of the remote.
 * @param environment the environment variables of this process.
 */
export function goesAsGit(url: string, environment: Variables): boolean {
  const { protocol, search, hash } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  if (search !== '' || hash !== '') return false;
  const isSet = (name: string) => tlsOfOne.test(name) && Boolean(environment[name]);
  if (protocol === 'https:' && Object.keys(environment).some(isSet)) return false;
  return readsProxiesAlike(protocol, environment);
}

/* For http curl ignores HTTP_PROXY, and for https undici falls back to it. ALL_PROXY, patterns and ranges in NO_PROXY, and
   proxies without a scheme or of another kind are supported by only one of the two. */
function readsProxiesAlike(protocol: string, environment: Variables): boolean {
  const { HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY } = environment;
  const { http_proxy, https_proxy, all_proxy, no_proxy } = environment;
  if (ALL_PROXY || all_proxy) return false;
  const [forHttp, forHttps] = [http_proxy || HTTP_PROXY, https_proxy || HTTPS_PROXY];
  const proxies = [forHttp, forHttps].filter((proxy) => proxy !== undefined && proxy !== '');
  if (proxies.length === 0) return true;
  const isNamed = protocol === 'http:' ? forHttp === http_proxy : Boolean(forHttps) || !forHttp;
  const areHttp = proxies.every((proxy) => /^https?:\/\//.test(proxy ?? ''));
  return isNamed && areHttp && !/[*/]/.test(no_proxy || NO_PROXY || '');
}

/**
 * Returns the number of consecutive misses, for {@link isHopeless}.
 * @param misses the previous return value.
 * @param miss the miss of a request that git then completed; undefined after a success.
 */
export function missesAfter(misses: number, miss: Miss | undefined): number {
  if (miss === undefined) return 0;
  if (miss === 'large') return misses;
  return miss === 'never' ? maxMisses : Math.min(misses + 1, maxMisses);
}

/** Returns whether the remote should not be retried. */
export function isHopeless(misses: number): boolean {
  return misses >= maxMisses;
}
