import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActionsService } from '@interlock/actions-service';
import { releaseNamespace } from '@interlock/charts';
import { Pod, type Client } from '@interlock/kube';
import { logOf } from '../fleet/app-pods.js';
import { tenants } from './plan.js';

const programs = 'app.kubernetes.io/name in (agc, egress-proxy, gmc)';

/**
 * Writes the logs of the programs and the journal of the service to the folder, because they are lost when the cluster
 * and the service stop.
 */
export async function saveRecords({
  client,
  service: { events, journal },
  folder,
}: {
  client: Client;
  service: ActionsService;
  folder: string;
}): Promise<void> {
  await writeFile(join(folder, 'service-events.json'), JSON.stringify(events.entries()));
  await writeFile(join(folder, 'service-requests.json'), JSON.stringify(journal.entries()));
  for (const namespace of [releaseNamespace, ...tenants.map((tenant) => tenant.namespace)]) {
    await mkdir(join(folder, namespace), { recursive: true });
    const { items } = await client.list(Pod, { namespace, labelSelector: programs });
    for (const pod of items) {
      const log = (await logOf(client, pod, { previous: true })) + (await logOf(client, pod));
      await appendFile(join(folder, namespace, `${pod.metadata.name}.log`), log);
    }
  }
}
