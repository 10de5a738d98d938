import { originOf } from '../http/endpoint.js';
import { digestOf, readSecretKey, readToken } from '../http/secret.js';
import { Section } from '../section.js';
import type { ScmConnection } from '../scm.js';

/** A validated `spec.github` of a provider, with the data of its Secret. */
export interface GithubAccount {
  /** For users and for git: `https://github.com`. */
  webUrl: string;
  apiUrl: string;
  credential: AppKey | { kind: 'token'; token: string };
}

export interface AppKey {
  kind: 'app';
  /** The number of the App, or its client id. */
  appId: number | string;
  /** Undefined if the installation is found through the repository. */
  installationId: number | undefined;
  privateKey: string;
  /** The key in the Secret, for messages. */
  secretKey: string;
}

const appKey = 'githubAppPrivateKey';

/** Returns the server for users and git, and the server of the API. @throws TypedError `Invalid` naming the field. */
export function originsOf(section: unknown): string[] {
  const webUrl = webUrlOf(new Section(section, 'spec.github'));
  return [webUrl, new URL(apiUrlOf(webUrl)).origin];
}

function webUrlOf(github: Section): string {
  return originOf(github.optionalString('domain') ?? 'github.com', 'spec.github.domain');
}

/** @throws TypedError `Invalid` naming the field, `Unauthorized` naming the key of the Secret. */
export function readAccount({ section, secret, secretKeys }: ScmConnection): GithubAccount {
  const github = new Section(section, 'spec.github');
  const webUrl = webUrlOf(github);
  const appId = github.optionalId('appID') ?? github.optionalString('clientID');
  const installationId = github.optionalId('installationID');
  const apiUrl = apiUrlOf(webUrl);
  if (appId === undefined) {
    const token = tokenOf(secret, secretKeys?.['token']);
    return { webUrl, apiUrl, credential: { kind: 'token', token } };
  }
  const privateKey = readSecretKey(secret, appKey, 'spec.github.appID is set');
  const secretKey = secretKeys?.[appKey] ?? appKey;
  return { webUrl, apiUrl, credential: { kind: 'app', appId, installationId, privateKey, secretKey } };
}

/**
 * Returns the URL of the REST API of a server (GitHub, "Getting started with the REST API"): github.com, GitHub
 * Enterprise Cloud with data residency, or GitHub Enterprise Server.
 */
function apiUrlOf(webUrl: string): string {
  const { host, protocol } = new URL(webUrl);
  const cloud = host === 'github.com' || host.endsWith('.ghe.com');
  return cloud ? `${protocol}//api.${host}` : `${webUrl}/api/v3`;
}

function tokenOf(secret: ScmConnection['secret'], name: string | undefined): string {
  const why = secret[appKey] === undefined ? 'spec.github.appID is not set' : 'spec.github.appID is missing';
  return readToken(secret, why, name);
}

/**
 * Identifies a credential without revealing it. The key itself is part of it: a tenant that knows only the id of an App and
 * of its installation shares nothing with its owner.
 */
export function credentialId({ apiUrl, credential }: GithubAccount): string {
  const parts = credential.kind === 'app' ? [credential.appId, credential.privateKey] : [credential.token];
  return digestOf([apiUrl, credential.kind, ...parts]);
}
