import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { errorCode, Misconfigured } from './misconfigured.js';

/** The files in which distributions keep the authorities of the system, in the order in which they are tried. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const maxBundleBytes = 4 * 1024 * 1024;
const certificateStart = '-----BEGIN CERTIFICATE-----';

/** Variables by which OpenSSL and .NET, Node.js, curl, git and Python find their authorities. */
const bundleVariables = [
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  /* For a proxy at an https:// URL: git does not use the other file for it. */
  'GIT_PROXY_SSL_CAINFO',
  'REQUESTS_CA_BUNDLE',
] as const;

/** Environment variables for the runner, and a function that removes the file that they name. */
interface TrustedAuthorities {
  env: Record<string, string>;
  remove: () => void;
}

/**
 * Writes a bundle of the authorities of the system, of the environment and of further files, for the runner and the programs of
 * its job. Without further files, it writes no bundle and sets no variable.
 *
 * @param env of this process; an `SSL_CERT_FILE` in it counts as the bundle of the system, and the files of the other variables
 *   are added
 * @throws Misconfigured when a file cannot be read or has no certificate, or the bundle cannot be written
 */
export function trustAuthorities(files: readonly string[], env: NodeJS.ProcessEnv): TrustedAuthorities {
  if (files.length === 0) return { env: {}, remove: () => undefined };
  const added = files.map(readCertificates);
  const { bundle, remove } = writeBundle(
    [systemAuthorities(env), ...ownAuthorities(env), ...added].join('\n'),
  );
  return { env: Object.fromEntries(bundleVariables.map((name) => [name, bundle])), remove };
}

/**
 * Returns the authorities of the pod template: the variables that name their files are replaced. A file that cannot be read is
 * omitted, as by the programs that read these variables.
 */
function ownAuthorities(env: NodeJS.ProcessEnv): string[] {
  const files = new Set(bundleVariables.map((name) => env[name] ?? ''));
  files.delete(env['SSL_CERT_FILE'] ?? '');
  files.delete('');
  return [...files].flatMap((file) => {
    try {
      return [readCertificates(file)];
    } catch {
      return [];
    }
  });
}

function writeBundle(text: string): { bundle: string; remove: () => void } {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'interlock-ca-'));
    const bundle = join(folder, 'ca-bundle.pem');
    writeFileSync(bundle, text, { mode: 0o644 });
    /* A job may run programs as another user, who cannot enter a folder as `mkdtemp` creates it. */
    chmodSync(folder, 0o755);
    return { bundle, remove: () => removeFolder(folder) };
  } catch (error) {
    throw new Misconfigured(
      `cannot write the certificates of the authorities into ${tmpdir()} (${errorCode(error)}); mount a volume there, or set TMPDIR to a folder in which the user of the image may write files`,
    );
  }
}

/** Removes a folder, unless the job has taken the permission away. It ends with the container, and has no secrets. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    /* The exit code of the job matters more. */
  }
}

/**
 * Returns the authorities of the system; for images without any, the authorities of Node.js, so that public hosts remain trusted.
 */
function systemAuthorities(env: NodeJS.ProcessEnv): string {
  for (const file of [env['SSL_CERT_FILE'] ?? '', ...systemBundles]) {
    try {
      if (file !== '') return readCertificates(file);
    } catch {
      /* The next one. */
    }
  }
  return rootCertificates.join('\n');
}

function readCertificates(file: string): string {
  let text: string;
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > maxBundleBytes)
      throw new Misconfigured(
        `${file} is not a file of at most ${maxBundleBytes} bytes; mount a PEM file there`,
      );
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Misconfigured) throw error;
    throw new Misconfigured(
      `cannot read ${file} (${errorCode(error)}); mount the certificate of the authority there`,
    );
  }
  if (text.includes(certificateStart)) return text;
  throw new Misconfigured(`${file} has no PEM certificate; mount the certificate of the authority there`);
}
