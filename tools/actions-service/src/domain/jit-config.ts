import type { DomainContext } from './context.js';
import type { Runner } from './model.js';
import type { RunnerKey } from './runner-keys.js';

/** Returns the encoded configuration of a runner: the three files of a runner on disk, with values as text. */
export function encodeJitConfig(context: DomainContext, runner: Runner, { privateKey }: RunnerKey): string {
  const urls = context.urls();
  const settings = {
    AgentId: String(runner.id),
    AgentName: runner.name,
    DisableUpdate: 'True',
    Ephemeral: 'True',
    PoolId: String(runner.groupId),
    PoolName: context.state.groups.get(runner.groupId)?.name ?? 'Default',
    ServerUrl: `${urls.tenant}/`,
    ServerUrlV2: `${urls.broker}/`,
    GitHubUrl: '',
    WorkFolder: '_work',
    UseV2Flow: 'True',
    IsHostedServer: 'False',
  };
  const credentials = {
    Scheme: 'OAuth',
    Data: {
      ClientId: runner.clientId,
      AuthorizationUrl: urls.token,
      RequireFipsCryptography: runner.fips ? 'True' : 'False',
    },
  };
  const { n, e, d, dp, dq, p, q, qi } = privateKey.export({ format: 'jwk' });
  const parameters = { d, dp, dq, exponent: e, inverseQ: qi, modulus: n, p, q };
  return encodeBase64({
    '.runner': encodeBase64(settings),
    '.credentials': encodeBase64(credentials),
    '.credentials_rsaparams': encodeBase64(
      Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, padded(value ?? '')])),
    ),
  });
}

function encodeBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

function padded(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('base64');
}
