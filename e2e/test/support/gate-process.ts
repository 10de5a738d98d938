import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@interlock/kube/testing';
import {
  AppProcess,
  ensureNamespace,
  installCustomResources,
  installIdentity,
  writeAppKubeconfig,
  type Cluster,
} from '@interlock/stack';
import { namespaces } from './test-cluster.js';

const app = 'gate-controller';

/** The bundle of gate-controller as a process with the permissions of its chart, without admission. */
export interface GateBundle {
  readonly process: AppProcess;
  /** Waits until a server of the process listens, and returns its port. */
  portOf(listener: string): Promise<number>;
}

/** Installs the kinds and starts the bundle. @param folder the folder for its log and its kubeconfig */
export async function startGateBundle(cluster: Cluster, folder: string): Promise<GateBundle> {
  const client = cluster.connect('e2e');
  try {
    await installCustomResources(client);
    for (const name of [namespaces.system, namespaces.config]) await ensureNamespace(client, name);
    await installIdentity(client, app, namespaces);
    const kubeconfig = join(folder, 'gate-controller.kubeconfig');
    const owner = { namespace: namespaces.system, name: app };
    await writeAppKubeconfig(client, cluster.admin, owner, kubeconfig);
    const logFile = join(folder, 'gate-controller.log');
    const process = new AppProcess({
      app,
      logFile,
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${namespaces.system}`,
        '--leader-elect=false',
        '--metrics-bind-address=0',
        '--health-probe-bind-address=127.0.0.1:0',
      ],
    });
    process.start();
    return { process, portOf: (listener) => portIn(logFile, listener) };
  } finally {
    await client.close();
  }
}

function portIn(logFile: string, listener: string): Promise<number> {
  return eventually(async () => {
    const lines = (await readFile(logFile, 'utf8')).split('\n').slice(0, -1);
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ msg, listener: of }) => msg === 'listening' && of === listener);
    if (found === undefined) throw new Error(`it does not serve ${listener}`);
    return Number(found['port']);
  });
}
