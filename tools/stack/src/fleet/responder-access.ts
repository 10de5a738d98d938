import {
  GitOpsResponderConfig,
  type GitOpsResponderConfigStatus,
  type ResponseProvider,
  type ResponseRoute,
} from '@interlock/api';
import { Secret, type Client } from '@interlock/kube';
import { configNamespace } from './install.js';
import type { ScmAccess } from './scm-access.js';

const fieldManager = 'stack';
const configName = 'default';

/** The repository and credential of the responder. */
interface ResponderAccess {
  /** Name of the Secret with the credential. */
  secretName: string;
  /** Origin of the forge, with its scheme. */
  host: string;
  /** `owner/name` */
  repository: string;
  baseBranch: string;
  access: ScmAccess;
  /** If it is absent, webhooks are not accepted. */
  webhookSecret?: string;
  /** Namespace of the configuration. Default: the namespace of an embedded cluster. */
  namespace?: string | undefined;
  /** The fields of the route in addition to the provider. */
  route?: Omit<ResponseRoute, 'provider'>;
}

/**
 * Creates the Secret with the credential of the responder, with the documented keys, and the GitOpsResponderConfig
 * `default` with this one route. Replaces an existing configuration. @returns its generation.
 */
export async function createResponderAccess(
  client: Client,
  options: ResponderAccess,
): Promise<number | undefined> {
  const { access, webhookSecret, namespace = configNamespace } = options;
  const metadata = { name: options.secretName, namespace };
  const webhook = webhookSecret === undefined ? {} : { 'webhook-secret': webhookSecret };
  await client.apply(Secret, { metadata, stringData: { ...secretOf(access), ...webhook } }, { fieldManager });
  const routes: ResponseRoute[] = [{ ...options.route, provider: providerOf(options) }];
  const config = await client.apply(
    GitOpsResponderConfig,
    { metadata: { name: configName, namespace }, spec: { routes } },
    { fieldManager },
  );
  return config.metadata.generation;
}

/** Returns the status of the responder's configuration. */
export async function responderConfigStatus(
  client: Client,
  namespace = configNamespace,
): Promise<GitOpsResponderConfigStatus> {
  return (await client.get(GitOpsResponderConfig, { name: configName, namespace })).status ?? {};
}

function providerOf({
  access: { scm },
  secretName,
  host,
  repository,
  baseBranch,
}: ResponderAccess): ResponseProvider {
  const common = { host, repository, baseBranch };
  const ref = { name: secretName };
  if (scm === 'github') return { kind: 'github-app', ...common, appCredentialsRef: ref };
  return { kind: scm === 'gitlab' ? 'gitlab' : 'gitea', ...common, credentialsRef: ref };
}

function secretOf({ scm, provider, secret }: ScmAccess): Record<string, string> {
  if (scm !== 'github') return secret;
  return {
    'app-id': String(provider['appID']),
    'installation-id': String(provider['installationID']),
    'private-key.pem': secret['githubAppPrivateKey'] ?? '',
  };
}
