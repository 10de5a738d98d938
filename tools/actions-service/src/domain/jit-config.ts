import type { JsonWebKey } from 'node:crypto';
import type { DomainContext } from './context.js';
import type { Runner } from './model.js';
import type { RunnerKey } from './runner-keys.js';

/** Returns the encoded configuration of a runner: the three files of a runner on disk, with values as text. */
export function encodeJitConfig(
  context: DomainContext,
  runner: Runner,
  { privateKey }: RunnerKey,
  workFolder: string,
): string {
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
    WorkFolder: workFolder,
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
  return encodeBase64({
    '.runner': encodeBase64(settings),
    '.credentials': encodeBase64(credentials),
    '.credentials_rsaparams': encodeBase64(rsaParameters(privateKey.export({ format: 'jwk' }))),
  });
}

function encodeBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

/**
 * Returns the numbers of a key by the names of the file `.credentials_rsaparams`, in base64. .NET refuses a key unless its private exponent
 * has as many bytes as its modulus, and the numbers of its primes half as many, so short numbers begin with zeros.
 */
export function rsaParameters({ n, e, d, p, q, dp, dq, qi }: JsonWebKey): Record<string, string> {
  const bytes = Buffer.from(n ?? '', 'base64url').length;
  const number = (base64url = '', length = 0): string => {
    const digits = Buffer.from(base64url, 'base64url');
    return Buffer.concat([Buffer.alloc(Math.max(0, length - digits.length)), digits]).toString('base64');
  };
  const half = (base64url?: string): string => number(base64url, Math.ceil(bytes / 2));
  return {
    ...{ d: number(d, bytes), exponent: number(e), modulus: number(n) },
    ...{ p: half(p), q: half(q), dp: half(dp), dq: half(dq), inverseQ: half(qi) },
  };
}
