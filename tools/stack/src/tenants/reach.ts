import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Secret, type Client } from '@interlock/kube';
import { textTable } from '../text-table.js';
import { askProxy, type ProxyPod, type TunnelAnswer } from './ask-proxy.js';
import type { TenantsInstallation } from './installation.js';
import { hosts, otherHost, type PlannedTenant } from './plan.js';

/** A target that a tenant requests from its proxy. */
interface ReachTarget {
  what: string;
  /** `host:port` */
  address: string;
  /** The expected answer of the proxy. */
  expected: TunnelAnswer;
}

/** The result for a target. */
export interface ReachResult extends ReachTarget {
  tenant: string;
  /** Whether a server listens at the target; if so, a failed request proves that the proxy refuses. */
  listens: boolean;
  answer: TunnelAnswer;
}

const proxyName = 'actions-gateway-proxy';
const connectTimeoutMs = 5_000;

/** Requests tunnels from the proxy of each tenant: to GitHub, to another server on the same port, and to the API server. */
export async function checkReach(
  { client, cluster, service, pods }: TenantsInstallation,
  tenants: readonly PlannedTenant[],
): Promise<ReachResult[]> {
  const gitHub = new URL(service.urls.web);
  const other = createServer((socket) => socket.on('error', () => undefined).end());
  other.listen(Number(gitHub.port), otherHost.address);
  await once(other, 'listening');
  try {
    const results: ReachResult[] = [];
    for (const { namespace } of tenants) {
      const proxy = await proxyOf(client, pods.proxies, namespace);
      for (const target of targetsOf(gitHub, new URL(cluster.url))) {
        const answer = await askProxy(proxy, target.address);
        results.push({ ...target, tenant: namespace, listens: await listens(target.address), answer });
      }
    }
    return results;
  } finally {
    other.close();
  }
}

function targetsOf(gitHub: URL, apiServer: URL): ReachTarget[] {
  return [
    { what: 'GitHub', address: gitHub.host, expected: { status: 200 } },
    {
      what: 'another server',
      address: `${otherHost.name}:${gitHub.port}`,
      expected: { status: 403, reason: 'HostNotAllowed' },
    },
    {
      what: 'the API server',
      address: apiServer.host,
      expected: { status: 403, reason: 'PortNotAllowed' },
    },
  ];
}

async function proxyOf(
  client: Client,
  proxies: ReadonlyMap<string, string>,
  namespace: string,
): Promise<ProxyPod> {
  const { data = {} } = await client.get(Secret, { namespace, name: `${proxyName}-tls` });
  const found = [...proxies].find(([, tenant]) => tenant === namespace);
  if (found === undefined) throw new Error(`${namespace} has no proxy pod`);
  const ca = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
  return { address: found[0], serviceName: `${proxyName}.${namespace}.svc`, ca };
}

async function listens(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const host = hosts[hostname] ?? hostname;
  const socket = connect({ host, port: Number(port), timeout: connectTimeoutMs });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Returns the problems, one sentence each. Pure. */
export function findReachProblems(results: readonly ReachResult[]): string[] {
  return results.flatMap(({ tenant, what, address, listens: isThere, answer, expected }) => {
    if (!isThere)
      return [`no server listens at ${address} (${what}), so a refusal of the proxy proves nothing`];
    if (answer.status === expected.status && answer.reason === expected.reason) return [];
    return [`the proxy of ${tenant} answers ${answerText(answer)} for ${what}, not ${answerText(expected)}`];
  });
}

/** Returns the results as a table. Pure. */
export function reachTable(results: readonly ReachResult[]): string[] {
  const rows = results.map(({ tenant, what, address, listens: isThere, answer }) => [
    ...[tenant, what, address, isThere ? 'yes' : 'no', answerText(answer)],
  ]);
  return textTable(['tenant', 'target', 'address', 'is up', 'through the proxy of the tenant'], rows);
}

function answerText({ status, reason }: TunnelAnswer): string {
  return reason === undefined ? String(status) : `${status} ${reason}`;
}
