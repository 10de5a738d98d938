import { TypedError, type ResponseProvider } from '@interlock/api';
import type { ProviderResource, RepositoryResource } from '@interlock/scm';

export type SecretData = Readonly<Record<string, string>>;

/** The arguments of `ScmRegistry.repository`. */
interface Access {
  provider: ProviderResource;
  secret: SecretData;
  repository: RepositoryResource;
}

/** Keys of Secrets, of which the first present one counts; the later ones are the keys of the reference implementation. */
const tokenKeys = ['token', 'github-token', 'GITHUB_TOKEN'];
const appKeys = ['app-id', 'client-id'];
const privateKeys = ['private-key.pem', 'githubAppPrivateKey'];
/** The second key is the key that the promoter reads, so that both apps can share a Secret. */
const webhookKeys = ['webhook-secret', 'webhookSecret'];

/** Returns the name of the Secret with the credential of a provider. */
export function secretNameOf({
  kind,
  appCredentialsRef,
  credentialsRef,
}: ResponseProvider): string | undefined {
  return kind === 'github-app' ? appCredentialsRef?.name : credentialsRef?.name;
}

/** The sections by which the SCM plugins identify the server and the repository of a provider. */
interface Sections {
  /** Name of the plugin, which is also the field of the specs. */
  scm: 'github' | 'gitlab' | 'gitea';
  server: { domain?: string };
  repository: { name: string } & ({ owner: string } | { namespace: string });
}

/** Returns the sections of a provider. Pure. @throws TypedError `Permanent` for the provider noop, which has none. */
export function sectionsOf({ kind, host, repository: path }: ResponseProvider): Sections {
  const slash = path.lastIndexOf('/');
  const [group, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const server = host === undefined ? {} : { domain: host };
  switch (kind) {
    case 'github-app':
    case 'github-pat':
      return { scm: 'github', server, repository: { owner: group, name } };
    case 'gitlab':
      return { scm: 'gitlab', server, repository: { namespace: group, name } };
    case 'gitea':
      return { scm: 'gitea', server, repository: { owner: group, name } };
    case 'noop':
      throw new TypedError('Permanent', 'provider noop does not access a repository', {
        reason: 'NoRepository',
      });
  }
}

/**
 * Returns the arguments with which the SCM plugins access the repository of a provider.
 * @param secret the decoded data of its Secret.
 * @param owner the configuration that names the provider.
 * @throws TypedError `Unauthorized` that names the key that the Secret lacks. Pure.
 */
export function accessOf(
  provider: ResponseProvider,
  secret: SecretData,
  owner: { name: string; namespace: string },
): Access {
  const { scm, server, repository } = sectionsOf(provider);
  const isApp = provider.kind === 'github-app';
  const [key, value] = entryOf(provider, secret, isApp ? privateKeys : tokenKeys);
  const pluginKey = isApp ? 'githubAppPrivateKey' : 'token';
  return {
    provider: {
      kind: 'GitOpsResponderConfig',
      metadata: owner,
      spec: { [scm]: isApp ? { ...server, ...appOf(provider, secret) } : server },
      secretKeys: { [pluginKey]: key },
    },
    secret: { [pluginKey]: value },
    repository: { metadata: owner, spec: { [scm]: repository } },
  };
}

/** Returns the secret with which an SCM signs its webhooks; empty when there is none, so that all webhooks are refused. */
export function webhookSecretOf(secret: SecretData): string {
  return firstOf(secret, webhookKeys)?.[1] ?? '';
}

function appOf(
  provider: ResponseProvider,
  secret: SecretData,
): { appID?: number; clientID?: string; installationID?: number | undefined } {
  const [, id] = entryOf(provider, secret, appKeys);
  const appID = numberOf(id);
  const installation = provider.installationID ?? numberOf(secret['installation-id']);
  return {
    ...(appID === undefined ? { clientID: id } : { appID }),
    installationID: installation,
  };
}

/** Returns the first of some keys that has a value, and the value. */
function firstOf(
  secret: SecretData,
  keys: readonly string[],
): readonly [key: string, value: string] | undefined {
  return keys.map((key) => [key, secret[key]?.trim() ?? ''] as const).find(([, value]) => value !== '');
}

function numberOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^[1-9]\d{0,14}$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Returns the first of some keys that has a value, and the value. @throws TypedError `Unauthorized` naming the keys. */
function entryOf(
  provider: ResponseProvider,
  secret: SecretData,
  keys: readonly string[],
): readonly [key: string, value: string] {
  const entry = firstOf(secret, keys);
  if (entry !== undefined) return entry;
  const field = provider.kind === 'github-app' ? 'appCredentialsRef' : 'credentialsRef';
  throw new TypedError(
    'Unauthorized',
    `provider.${field}: Secret ${secretNameOf(provider) ?? ''} has no key ${keys.slice(0, 2).join(' or ')}; add it`,
    { reason: 'SecretKeyMissing' },
  );
}
