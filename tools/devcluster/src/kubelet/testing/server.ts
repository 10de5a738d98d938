import { startDevCluster } from '../../devcluster.js';

/**
 * A server with a kubelet as a separate process. Writes its address, the token of its administrator and its authority
 * as one line of JSON.
 */
const cluster = await startDevCluster({
  kubelets: [{ nodeName: 'node-1' }, { nodeName: 'node-2', namespaces: false }],
  images: { 'test/sh': { command: ['sh', '-c'] }, 'test/node': { command: [process.execPath, '--eval'] } },
});
const { url, adminToken, caCert } = cluster;
process.stdout.write(`${JSON.stringify({ url, adminToken, caCert })}\n`);
process.once('SIGTERM', () => void cluster.close());
