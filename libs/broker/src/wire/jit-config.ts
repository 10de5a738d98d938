import { TypedError } from '@interlock/api';
import { Fields, isJsonObject } from './fields.js';
import { parseJson } from './json.js';
import { rsaPrivateKey, type RsaPrivateKey } from './rsa-key.js';

/** The content of the three credential files of a runner. It holds a private key. */
export interface RunnerConfig {
  brokerUrl: string;
  clientId: string;
  authorizationUrl: string;
  /** Signs with PS256 instead of RS256. */
  requiresFips: boolean;
  key: RsaPrivateKey;
}

const what = 'the JIT config of the runner';
const maxLength = 256 * 1024;
/** The size of a number of a key of 16,384 bits, the longest that OpenSSL accepts. */
const maxNumberBytes = 2_048;

/**
 * Parses the text that GitHub calls `encoded_jit_config`: base64 of an object that maps file names to the base64 of the
 * files.
 *
 * @throws TypedError `Invalid` naming what is missing; no message quotes the text
 */
export function parseJitConfig(encoded: string): RunnerConfig {
  if (encoded.length > maxLength) throw malformed(`is longer than ${maxLength} characters`);
  const files = new Fields(parseJson(Buffer.from(encoded, 'base64'), what));
  const runner = fileOf(files, '.runner');
  const credentials = fileOf(files, '.credentials');
  const data = credentials.fields('data');
  return {
    brokerUrl: runner.text('serverUrlV2') ?? runner.text('serverUrl') ?? missing('.runner: ServerUrlV2'),
    clientId: data.text('clientId') ?? missing('.credentials: clientId'),
    authorizationUrl: data.text('authorizationUrl') ?? missing('.credentials: authorizationUrl'),
    requiresFips: data.flag('requireFipsCryptography') ?? false,
    key: keyOf(fileOf(files, '.credentials_rsaparams')),
  };
}

function fileOf(files: Fields, name: string): Fields {
  const content = files.text(name) ?? missing(name);
  const value = parseJson(Buffer.from(content, 'base64'), `${name} of ${what}`);
  return isJsonObject(value) ? new Fields(value) : missing(name);
}

/** Returns the key in a file, which contains the numbers of the key in base64. */
function keyOf(file: Fields): RsaPrivateKey {
  const number = (field: string): Buffer => {
    const value = file.text(field) ?? missing(`.credentials_rsaparams: ${field}`);
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length > maxNumberBytes) throw malformed('has an unusable key in .credentials_rsaparams');
    return bytes;
  };
  return rsaPrivateKey({
    ...{ n: number('modulus'), e: number('exponent'), d: number('d') },
    ...{ p: number('p'), q: number('q'), dp: number('dp'), dq: number('dq'), qi: number('inverseQ') },
  });
}

function missing(what: string): never {
  throw malformed(`has no ${what}`);
}

function malformed(why: string): TypedError {
  return new TypedError('Invalid', `${what} ${why}`, { reason: 'MalformedAnswer' });
}
