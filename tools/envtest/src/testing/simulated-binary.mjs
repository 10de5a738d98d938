/**
 * Simulates a binary of a control plane: `simulated-binary.mjs <binary> [flags]`. Like the binary, it refuses unknown flags,
 * requires the same flags, reads the files that they name, and serves at their addresses.
 */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, get as httpGet } from 'node:http';
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import { parse } from 'yaml';

const [binary, ...args] = process.argv.slice(2);
/** The required flags and further flags, by binary. */
const flagsOf = {
  etcd: [
    'data-dir listen-client-urls advertise-client-urls listen-peer-urls',
    'name initial-advertise-peer-urls initial-cluster unsafe-no-fsync',
  ],
  'kube-apiserver': [
    'etcd-servers secure-port service-account-issuer service-account-key-file service-account-signing-key-file service-cluster-ip-range',
    'bind-address advertise-address endpoint-reconciler-type cert-dir tls-cert-file tls-private-key-file client-ca-file authorization-mode allow-privileged profiling disable-admission-plugins',
  ],
  'kube-controller-manager': [
    'kubeconfig secure-port',
    'authentication-kubeconfig authorization-kubeconfig authentication-tolerate-lookup-failure bind-address tls-cert-file tls-private-key-file leader-elect use-service-account-credentials service-account-private-key-file root-ca-file kube-api-qps kube-api-burst profiling',
  ],
};

function fail(message) {
  console.error(message);
  process.exit(1);
}

function readFlags() {
  const [required, others] = flagsOf[binary].map((names) => names.split(' '));
  const flags = {};
  for (const arg of args) {
    const [, name, value] = /^--([a-z-]+)=(.*)$/.exec(arg) ?? [];
    if (![...required, ...others].includes(name)) fail(`Error: unknown flag: ${arg}`);
    flags[name] = value;
  }
  const absent = required.find((name) => flags[name] === undefined);
  if (absent !== undefined) fail(`Error: --${absent} must be specified`);
  return flags;
}

const fromElsewhere = Object.keys(process.env).filter((name) => /proxy|^ETCD_|^NODE_/i.test(name));
if (fromElsewhere.length > 0) fail(`variables of the caller arrived: ${fromElsewhere.join(', ')}`);
const flags = readFlags();
const read = (name) => readFileSync(flags[name], 'utf8');
console.log(`${binary} runs as ${process.pid}`);
process.on('SIGTERM', () => process.exit(0));

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The first two requests arrive before the server is ready. */
let early = 2;
const isEarly = () => early-- > 0;

function serveEtcd() {
  const at = (flag) => new URL(flags[flag]);
  const client = at('listen-client-urls');
  createHttpServer((_, response) => {
    if (isEarly()) return answer(response, 503, { health: 'false' });
    return answer(response, 200, { health: 'true' });
  }).listen(Number(client.port), client.hostname);
  const peer = at('listen-peer-urls');
  createHttpServer().listen(Number(peer.port), peer.hostname);
}

function serveApi() {
  httpGet(`${flags['etcd-servers']}/health`, ({ statusCode }) => {
    if (statusCode !== 200) fail('etcd is not healthy');
  }).on('error', () => fail('etcd does not answer'));
  for (const name of ['service-account-key-file', 'service-account-signing-key-file']) read(name);
  const created = new Set(['/api/v1/namespaces/default']);
  const tls = {
    cert: read('tls-cert-file'),
    key: read('tls-private-key-file'),
    ca: read('client-ca-file'),
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createHttpsServer(tls, (request, response) => {
    const { authorized } = request.socket;
    if (!authorized || request.socket.getPeerCertificate().subject.O !== 'system:masters') {
      return answer(response, 401, { reason: 'Unauthorized' });
    }
    if (request.method === 'PUT') created.add(request.url);
    if (request.url === '/readyz' && isEarly()) return answer(response, 500, 'not ready');
    if (request.url === '/version') return answer(response, 200, { gitVersion: 'v1.33.0' });
    const isThere = request.url === '/readyz' || created.has(request.url);
    return answer(response, isThere ? 200 : 404, {});
  });
  server.listen(Number(flags['secure-port']), flags['bind-address']);
}

function serveControllers() {
  for (const name of ['service-account-private-key-file', 'root-ca-file']) read(name);
  const { clusters, users } = parse(read('kubeconfig'));
  const decode = (base64) => Buffer.from(base64, 'base64');
  const tls = {
    ca: decode(clusters[0].cluster['certificate-authority-data']),
    cert: decode(users[0].user['client-certificate-data']),
    key: decode(users[0].user['client-key-data']),
  };
  const serving = { cert: read('tls-cert-file'), key: read('tls-private-key-file') };
  const server = createHttpsServer(serving, (_, response) => answer(response, 200, 'ok'));
  server.listen(Number(flags['secure-port']), flags['bind-address']);
  const account = new URL('/api/v1/namespaces/default/serviceaccounts/default', clusters[0].cluster.server);
  httpsRequest(account, { method: 'PUT', ...tls }, (response) => response.resume()).end();
}

({ etcd: serveEtcd, 'kube-apiserver': serveApi, 'kube-controller-manager': serveControllers })[binary]();
