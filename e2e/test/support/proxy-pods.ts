import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { parseManifests, renderCharts } from '@interlock/charts';
import { Deployment, Namespace, Pod, Secret, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { generate } from 'selfsigned';

const fieldManager = 'e2e';
const proxyName = 'actions-gateway-proxy';
const startMs = 120_000;

/** The image of a pod that runs a Node.js script. */
const scriptImage = 'e2e/node:1';
export const scriptImages = { 'e2e/node': { command: [process.execPath, '-e'] } };

/**
 * The response to a CONNECT of a client in a pod: the status line, the reason of a refusal, and the data from the
 * tunnel.
 */
interface ConnectOutcome {
  status: string;
  reason?: string;
  echo?: string;
}

/** An echo server on this machine. */
interface EchoServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts an {@link EchoServer} on a free port of the loopback interface. */
export async function startEcho(): Promise<EchoServer> {
  const server = createServer((socket) => void socket.on('error', () => socket.destroy()).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

/** Creates the namespace of a tenant at the level `restricted`, with the Secret of its proxy. */
export async function createProxyTenant(client: Client, namespace: string): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.apply(Namespace, { metadata: { name: namespace, labels } }, { fieldManager });
  const host = `${proxyName}.${namespace}.svc`;
  const issued = await generate([{ name: 'commonName', value: host }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  const stringData = { 'tls.crt': issued.cert, 'tls.key': issued.private, 'ca.crt': issued.cert };
  await client.apply(
    Secret,
    { metadata: { namespace, name: `${proxyName}-tls` }, stringData },
    { fieldManager },
  );
}

/**
 * Installs the chart of the proxy and waits until the minimum number of pods of its autoscaler is available. @throws
 * Error with the status of the Deployment after the timeout
 */
export async function installProxy(
  client: Client,
  helm: string,
  namespace: string,
  allowedPort: number,
): Promise<readonly Pod[]> {
  const values = {
    allowedHosts: ['github.com'],
    allowedCIDRs: ['127.0.0.1/32'],
    allowedPorts: [443, allowedPort],
  };
  const texts = await renderCharts(helm, namespace, { 'egress-proxy': values });
  for (const manifest of parseManifests(texts.get('egress-proxy') ?? '')) {
    const kind = await client.resolveKind(manifest.apiVersion, manifest.kind);
    if (kind === undefined) throw new Error(`the cluster does not serve ${manifest.kind}`);
    await client.apply(kind, manifest, { fieldManager });
  }
  await eventually(async () => {
    const { status } = await client.get(Deployment, { namespace, name: proxyName });
    if (status?.availableReplicas !== 2) throw new Error(`not available: ${JSON.stringify(status)}`);
  }, startMs);
  const labelSelector = 'app.kubernetes.io/name=egress-proxy';
  return (await client.list(Pod, { namespace, labelSelector })).items;
}

/* Opens one connection for each target through the Service, and verifies the certificate for its name. */
const clientScript = `
  const { readFileSync } = require('node:fs');
  const { connect } = require('node:tls');
  const { PROXY_HOST: host, TARGETS } = process.env;
  const ca = readFileSync('/proxy/ca.crt');
  const ask = (target) => new Promise((resolve, reject) => {
    const socket = connect({ host, port: 8080, servername: host, ca });
    let text = '';
    socket.setTimeout(20000, () => socket.destroy(new Error('no answer: ' + text)));
    socket.once('secureConnect', () => socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: ' + target + '\\r\\n\\r\\n'));
    let isAsked = false;
    socket.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\\r\\n\\r\\n');
      if (end < 0) return;
      const status = text.slice(0, text.indexOf('\\r\\n'));
      if (!/ 200 /.test(status + ' ')) {
        const [, reason] = /x-proxy-reason: (\\S+)/i.exec(text) ?? [];
        resolve({ status, reason });
        return socket.destroy();
      }
      const echo = text.slice(end + 4);
      if (!isAsked) socket.write('ping');
      isAsked = true;
      if (echo.length < 4) return;
      resolve({ status, echo });
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed: ' + text)));
  });
  (async () => {
    const outcomes = [];
    for (const target of TARGETS.split(',')) outcomes.push(await ask(target));
    console.log(JSON.stringify(outcomes));
  })();`;

/**
 * Returns the responses that a pod of the tenant receives for targets, one after the other. @throws Error with its log
 * when it fails
 */
export async function connectFromPod(
  client: Client,
  namespace: string,
  targets: readonly string[],
): Promise<ConnectOutcome[]> {
  const name = 'client';
  await client.create(Pod, clientPod({ namespace, name }, targets));
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
  const phaseOf = async () => (await client.get(Pod, { namespace, name })).status?.phase;
  await eventually(async () => {
    const phase = await phaseOf();
    if (phase !== 'Succeeded' && phase !== 'Failed') throw new Error(`the client is ${phase}`);
  }, startMs);
  const log = await client.raw<string>({ method: 'GET', path, as: 'text' });
  if ((await phaseOf()) === 'Failed') throw new Error(`the client failed: ${log}`);
  return JSON.parse(log) as ConnectOutcome[];
}

function clientPod(
  { namespace, name }: { namespace: string; name: string },
  targets: readonly string[],
): Pod {
  const env = { PROXY_HOST: `${proxyName}.${namespace}.svc`, TARGETS: targets.join(',') };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { 'actions-gateway/component': 'workload' } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'client',
          image: scriptImage,
          args: [clientScript],
          env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: [{ name: 'ca', mountPath: '/proxy', readOnly: true }],
        },
      ],
      volumes: [
        {
          name: 'ca',
          secret: { secretName: `${proxyName}-tls`, items: [{ key: 'ca.crt', path: 'ca.crt' }] },
        },
      ],
    },
  };
}
