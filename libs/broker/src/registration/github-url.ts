import { isProblem, Problem, type OrProblem } from '@interlock/base';

/** The organization, repository or enterprise for which runners are registered. */
export interface GithubTarget {
  /** The URL that was configured, without a trailing slash. */
  webUrl: string;
  /** Base of the REST API, without a trailing slash. */
  apiUrl: string;
  kind: 'organization' | 'repository' | 'enterprise';
  /** Path of the target below the base of the API, such as `/orgs/acme`. */
  path: string;
}

const maxLength = 2048;
const segment = /^[A-Za-z0-9_.-]{1,100}$/;

/**
 * Returns the target that a URL names, or the problem with the URL: an organization, a repository or an enterprise at github.com,
 * at GitHub Enterprise Cloud with data residency (`*.ghe.com`) or at GitHub Enterprise Server.
 *
 * @param apiUrl base URL of the REST API, if it is not the base URL that belongs to the host
 */
export function parseGithubUrl(text: string, apiUrl?: string): OrProblem<GithubTarget> {
  if (text.length > maxLength || !URL.canParse(text)) return invalid('it is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return invalid('it does not begin with https://');
  if (url.username !== '' || url.password !== '') return invalid('it contains a user or a password');
  const target = targetOf(url.pathname.split('/').filter((part) => part !== ''));
  if (isProblem(target)) return target;
  const webUrl = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  return { ...target, webUrl, apiUrl: withoutSlash(apiUrl ?? apiUrlOf(url)) };
}

function targetOf(parts: readonly string[]): OrProblem<Pick<GithubTarget, 'kind' | 'path'>> {
  if (!parts.every((part) => segment.test(part) && part !== '.' && part !== '..')) {
    return invalid('its path contains characters that names at GitHub cannot contain');
  }
  const [first = '', second] = parts;
  if (parts.length === 1) return { kind: 'organization', path: `/orgs/${first}` };
  if (parts.length !== 2) return invalid('its path must be owner, owner/repository or enterprises/name');
  return first.toLowerCase() === 'enterprises'
    ? { kind: 'enterprise', path: `/enterprises/${second}` }
    : { kind: 'repository', path: `/repos/${first}/${second}` };
}

function apiUrlOf({ protocol, host, hostname, origin }: URL): string {
  /* It serves redirects to github.com, and has no API below it. */
  if (hostname === 'www.github.com') return `${protocol}//api.github.com`;
  const isCloud = hostname === 'github.com' || hostname.endsWith('.ghe.com');
  return isCloud ? `${protocol}//api.${host}` : `${origin}/api/v3`;
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

function invalid(why: string): Problem {
  return new Problem('InvalidGitHubURL', `gitHubURL cannot be used: ${why}`, { transient: false });
}
