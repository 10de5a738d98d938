import { TypedError, type ResponseProvider } from '@interlock/api';
import type { ProviderResource, RepositoryResource } from '@interlock/scm';

export type SecretData = Readonly<Record<string, string>>;

/** What `ScmRegistry.repository` takes. */
export interface Access {
  provider: ProviderResource;
  secret: SecretData;
  repository: RepositoryResource;
}

/** Keys of Secrets, the first that is there counts; the later ones are those of the reference implementation. */
const tokenKeys = ['token', 'github-token', 'GITHUB_TOKEN'];
const appKeys = ['app-id', 'client-id'];
const privateKeys = ['private-key.pem', 'githubAppPrivateKey'];

/** @returns the name of the Secret with the credential of a provider. */
export function secretNameOf({
  kind,
  appCredentialsRef,
  credentialsRef,
}: ResponseProvider): string | undefined {
  return kind === 'github-app' ? appCredentialsRef?.name : credentialsRef?.name;
}

/**
 * @param secret the decoded data of its Secret.
 * @param owner the configuration that names the provider.
 * @returns how the SCM plugins reach the repository of a provider.
 * @throws TypedError `Unauthorized` that names the key that the Secret lacks. Pure.
 */
export function accessOf(
  provider: ResponseProvider,
  secret: SecretData,
  owner: { name: string; namespace: string },
): Access {
  const { kind, host, repository } = provider;
  const slash = repository.lastIndexOf('/');
  const [group, name] = [repository.slice(0, slash), repository.slice(slash + 1)];
  const domain = host === undefined ? {} : { domain: host };
  const resource = (spec: object): ProviderResource => ({
    kind: 'GitOpsResponderConfig',
    metadata: owner,
    spec,
  });
  const target = (spec: object): RepositoryResource => ({ metadata: owner, spec });
  switch (kind) {
    case 'github-app':
      return {
        provider: resource({ github: { ...domain, ...appOf(provider, secret) } }),
        secret: { githubAppPrivateKey: valueOf(provider, secret, privateKeys) },
        repository: target({ github: { owner: group, name } }),
      };
    case 'github-pat':
      return {
        provider: resource({ github: domain }),
        secret: { token: valueOf(provider, secret, tokenKeys) },
        repository: target({ github: { owner: group, name } }),
      };
    case 'gitlab':
      return {
        provider: resource({ gitlab: domain }),
        secret: { token: valueOf(provider, secret, tokenKeys) },
        repository: target({ gitlab: { namespace: group, name } }),
      };
    case 'gitea':
      return {
        provider: resource({ gitea: domain }),
        secret: { token: valueOf(provider, secret, tokenKeys) },
        repository: target({ gitea: { owner: group, name } }),
      };
    case 'noop':
      throw new TypedError('Permanent', 'provider noop reaches no repository', { reason: 'NoRepository' });
  }
}

function appOf(
  provider: ResponseProvider,
  secret: SecretData,
): { appID?: number; clientID?: string; installationID?: number } {
  const id = valueOf(provider, secret, appKeys);
  const appID = numberOf(id);
  const installation = provider.installationID ?? numberOf(secret['installation-id']);
  return {
    ...(appID === undefined ? { clientID: id } : { appID }),
    ...(installation !== undefined && { installationID: installation }),
  };
}

function numberOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^[1-9]\d{0,14}$/.test(trimmed) ? Number(trimmed) : undefined;
}

function valueOf(provider: ResponseProvider, secret: SecretData, keys: readonly string[]): string {
  const value = keys.map((key) => secret[key]?.trim() ?? '').find((text) => text !== '');
  if (value !== undefined) return value;
  const field = provider.kind === 'github-app' ? 'appCredentialsRef' : 'credentialsRef';
  throw new TypedError(
    'Unauthorized',
    `provider.${field}: Secret ${secretNameOf(provider) ?? ''} has no key ${keys.slice(0, 2).join(' or ')}; add it`,
    { reason: 'SecretKeyMissing' },
  );
}
