import type { GitOpsResponderConfig, ResponseProvider, ResponseRoute } from '@interlock/api';
import { messageOf } from '@interlock/api';
import type { FieldProblem } from '@interlock/base';
import { RE2JS } from 're2js';

type Spec = GitOpsResponderConfig['spec'];
type NamedProvider = NonNullable<Spec['providers']>[number];
type Repo = NonNullable<Spec['defaultRepo']>;

interface Converted {
  routes: ResponseRoute[];
  /** Routes with problems are omitted. */
  problems: FieldProblem[];
}

/**
 * Returns the routes of a configuration in either format. In the format with `providers`, `routing` and `defaultRepo`,
 * each rule becomes a route, and the default repository becomes a route without conditions at the end.
 */
export function routesOf(spec: Spec): Converted {
  if (spec.providers === undefined) return { routes: spec.routes ?? [], problems: [] };
  const problems: FieldProblem[] = [];
  const { providers, routing = [], defaultRepo, defaultProvider } = spec;
  if (defaultProvider !== undefined && !isKnown(providers, defaultProvider))
    problems.push(unknownProvider('spec.defaultProvider', defaultProvider));
  const routes = routing.flatMap((rule, index): ResponseRoute[] => {
    const field = `spec.routing[${index}]`;
    const provider = convertRepo(spec, rule.repo, `${field}.repo`, problems);
    const { matchLabels, matchNamespacePattern: pattern } = rule;
    const wrong = pattern === undefined ? undefined : patternProblem(pattern);
    if (wrong !== undefined)
      problems.push({ field: `${field}.matchNamespacePattern`, value: pattern ?? '', message: wrong });
    if (provider === undefined || wrong !== undefined) return [];
    const match = {
      labels: matchLabels,
      expr: pattern === undefined ? undefined : `subject.namespace.matches(${celText(pattern)})`,
    };
    return [{ match, provider, ...defaultsOf(spec) }];
  });
  if (defaultRepo === undefined) return { routes, problems };
  const provider = convertRepo(spec, defaultRepo, 'spec.defaultRepo', problems);
  if (provider !== undefined) routes.push({ provider, ...defaultsOf(spec) });
  return { routes, problems };
}

function defaultsOf({ changeDefaults = {} }: Spec): Pick<ResponseRoute, 'draft' | 'labels' | 'reviewers'> {
  const { draft, labels, requireReviewers } = changeDefaults;
  return { draft, labels, reviewers: requireReviewers };
}

function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `it is not a regular expression (RE2): ${messageOf(error)}`;
  }
}

function celText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

/** Returns whether a provider is known. `noop` does not need an entry: the reference implementation always has it. */
function isKnown(providers: readonly NamedProvider[], name: string): boolean {
  return name === 'noop' || providers.some((provider) => provider.name === name);
}

function unknownProvider(field: string, value: string): FieldProblem {
  return { field, value, message: 'no entry of spec.providers has this name' };
}

function convertRepo(
  { providers = [] }: Spec,
  { provider: name, owner, repo, branch }: Repo,
  field: string,
  problems: FieldProblem[],
): ResponseProvider | undefined {
  const index = providers.findIndex((provider) => provider.name === name);
  const target = { repository: `${owner}/${repo}`, baseBranch: branch ?? 'main' };
  const provider = providers[index];
  if (provider === undefined && name === 'noop') return { kind: 'noop', ...target };
  if (provider === undefined) {
    problems.push(unknownProvider(`${field}.provider`, name));
    return undefined;
  }
  const credentials = convertProvider(provider, `spec.providers[${index}]`, (problem) => {
    if (!problems.some((known) => known.field === problem.field)) problems.push(problem);
  });
  return credentials && { ...credentials, ...target };
}

type Credentials = Omit<ResponseProvider, 'repository' | 'baseBranch'>;

function convertProvider(
  provider: NamedProvider,
  field: string,
  report: (problem: FieldProblem) => void,
): Credentials | undefined {
  const { type, host, auth: { mode, secretRef } = {} } = provider;
  if (type === 'noop') return { kind: 'noop' };
  const problem = (where: string, message: string, value?: string): undefined =>
    void report({ field: `${field}.${where}`, value, message });
  if (secretRef === undefined) return problem('auth.secretRef', 'name the Secret with the credential');
  const at = host === undefined ? {} : { host };
  const app = mode === 'github-app' || mode === 'app-token';
  switch (type) {
    case 'github':
      if (mode === 'github-app') return { kind: 'github-app', ...at, appCredentialsRef: secretRef };
      if (mode === 'pat') return { kind: 'github-pat', ...at, credentialsRef: secretRef };
      return problem('auth.mode', 'a provider of type github needs github-app or pat', mode);
    case 'gitlab':
      if (!app && mode !== 'ssh-deploy-key') return { kind: 'gitlab', ...at, credentialsRef: secretRef };
      return problem('auth.mode', 'a provider of type gitlab needs project-access-token or pat', mode);
    case 'forgejo':
    case 'gitea':
      if (mode === 'github-app' || mode === 'ssh-deploy-key')
        return problem('auth.mode', `a provider of type ${type} needs app-token or pat`, mode);
      if (host === undefined) return problem('host', `name the host of the ${type} server`);
      return { kind: 'gitea', host, credentialsRef: secretRef };
  }
}
