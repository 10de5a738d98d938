/** The usual variables of a proxy for `https:`; a value is undefined if its variable is empty. */
interface ProxyVariables {
  url: string | undefined;
  /** In the format of `NO_PROXY`. */
  noProxy: string | undefined;
}

/** Returns the proxy for `https:` and its exceptions. Variables in upper case take precedence over those in lower case. */
export function proxyVariables(environment: NodeJS.ProcessEnv): ProxyVariables {
  const read = (name: string) => environment[name] || environment[name.toLowerCase()] || undefined;
  return { url: read('HTTPS_PROXY'), noProxy: read('NO_PROXY') };
}
