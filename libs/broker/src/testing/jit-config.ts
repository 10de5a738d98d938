import { generateKeyPairSync, type KeyObject } from 'node:crypto';

interface JitConfigParts {
  requiresFips?: unknown;
  authorizationUrl?: string | undefined;
  brokerUrl?: string | undefined;
}

/** Returns a JIT config as GitHub encodes it, with a key of its own. */
export function createJitConfig(parts: JitConfigParts = {}): { encoded: string; publicKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = privateKey.export({ format: 'jwk' });
  const base64 = (text: string | undefined) => Buffer.from(text ?? '', 'base64url').toString('base64');
  const key = {
    d: jwk.d,
    dp: jwk.dp,
    dq: jwk.dq,
    exponent: jwk.e,
    inverseQ: jwk.qi,
    modulus: jwk.n,
    p: jwk.p,
    q: jwk.q,
  };
  const {
    requiresFips = 'False',
    authorizationUrl = 'https://token.example/',
    brokerUrl = 'https://broker.example/',
  } = parts;
  const files = {
    '.runner': {
      AgentId: '7',
      AgentName: 'a-1',
      ServerUrl: 'https://old.example/',
      ServerUrlV2: brokerUrl,
      Ephemeral: 'True',
    },
    '.credentials': {
      Scheme: 'OAuth',
      Data: {
        ClientId: 'client-1',
        AuthorizationUrl: authorizationUrl,
        RequireFipsCryptography: requiresFips,
      },
    },
    '.credentials_rsaparams': Object.fromEntries(
      Object.entries(key).map(([name, value]) => [name, base64(value)]),
    ),
  };
  return { encoded: encodeJitConfig(files), publicKey };
}

/** Encodes the files of a JIT config; strings are encoded unchanged. */
export function encodeJitConfig(files: Readonly<Record<string, unknown>>): string {
  const base64 = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
  return base64(Object.fromEntries(Object.entries(files).map(([name, file]) => [name, base64(file)])));
}
