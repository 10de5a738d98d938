import type { JsonWebKey } from 'node:crypto';

interface JitConfigOfRunner {
  runner: number;
  name: string;
  /** URLs of the broker and of its tokens. */
  url: string;
}

/** Returns the JIT config of a runner as GitHub encodes it. */
export function jitConfigOf(jwk: JsonWebKey, { runner, name, url }: JitConfigOfRunner): string {
  const base64 = (text: string | undefined): string =>
    Buffer.from(text ?? '', 'base64url').toString('base64');
  const { n, e, d, p, q, dp, dq, qi } = jwk;
  const files = {
    '.runner': {
      AgentId: String(runner + 1),
      AgentName: name,
      PoolId: '1',
      PoolName: 'Default',
      ServerUrl: `${url}/`,
      ServerUrlV2: `${url}/`,
      GitHubUrl: '',
      WorkFolder: '_work',
      UseV2Flow: 'True',
      Ephemeral: 'True',
    },
    '.credentials': {
      Scheme: 'OAuth',
      Data: {
        ClientId: `client-${runner}`,
        AuthorizationUrl: `${url}/token`,
        RequireFipsCryptography: 'False',
      },
    },
    '.credentials_rsaparams': {
      ...{ d: base64(d), dp: base64(dp), dq: base64(dq), exponent: base64(e), inverseQ: base64(qi) },
      ...{ modulus: base64(n), p: base64(p), q: base64(q) },
    },
  };
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
  return encode(Object.fromEntries(Object.entries(files).map(([file, value]) => [file, encode(value)])));
}
