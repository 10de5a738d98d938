import { originOf } from '../http/endpoint.js';
import { digestOf, readToken } from '../http/secret.js';
import type { GovernorLimits, ScmConnection } from '../scm.js';
import { Section } from '../section.js';

/** A validated `spec.gitlab` of a provider, with the data of its Secret. */
export interface GitlabAccount {
  /** URL of the server, for users, git and the API: `https://gitlab.com`. */
  url: string;
  token: string;
  /** Identifies the token at that server without revealing it. */
  id: string;
}

/** A repository, as its `spec.gitlab` names it. */
export interface GitlabProject {
  /** Group, group and subgroups, or user: `acme/platform`. */
  namespace: string;
  name: string;
  /** Id of the project. Unlike its path, it does not change when the project is moved. */
  id: number | undefined;
}

/**
 * GitLab, "Rate limits": reads and writes share one limit, of 2,000 requests a minute on gitlab.com; no separate limit for
 * writes is relevant here.
 */
export const gitlabLimits: GovernorLimits = {
  concurrency: 10,
  queueLimit: 1000,
  maxWaitMs: 10_000,
  writes: { burst: 50, perSecond: 5 },
};

/** Returns the origin of the server. @throws TypedError `Invalid` naming the field. */
export function serverOf(section: unknown): string {
  const domain = new Section(section, 'spec.gitlab').optionalString('domain') ?? 'gitlab.com';
  return originOf(domain, 'spec.gitlab.domain');
}

/** @throws TypedError `Invalid` naming the field, `Unauthorized` naming the key of the Secret. */
export function readAccount({ section, secret, secretKeys }: ScmConnection): GitlabAccount {
  const url = serverOf(section);
  const token = readToken(secret, 'spec.gitlab is set', secretKeys?.['token']);
  return { url, token, id: digestOf([url, 'gitlab', token]) };
}

/** @throws TypedError `Invalid` naming the field. */
export function readProject(value: unknown): GitlabProject {
  const section = new Section(value, 'spec.gitlab');
  return {
    namespace: section.string('namespace'),
    name: section.string('name'),
    id: section.optionalId('projectID'),
  };
}
