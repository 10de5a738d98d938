import { createHash } from 'node:crypto';
import {
  ifFound,
  labels,
  messageOf,
  projectName,
  workerConfigMapName,
  workerProgramFile,
  workerServiceAccount,
} from '@interlock/api';
import { delay, type Logger } from '@interlock/base';
import { ConfigMap, ServiceAccount, type Client, type Manager } from '@interlock/kube';

const retryMs = 5_000;
/* Shorter than the deadline of a pod that waits for its volume. */
const checkMs = 60_000;

/**
 * Stores the worker program in the namespace, and returns the name of its ConfigMap. The ConfigMap is immutable and named by the hash
 * of the program, so that pods of an older controller keep theirs. The service account of the workers owns it. It is stored again every
 * minute, because a user may delete it or its owner, and no pod can start without it.
 */
export function addWorkerProgram(manager: Manager, log: Logger, namespace: string, program: string): string {
  const name = workerConfigMapName(createHash('sha256').update(program).digest('hex'));
  manager.add({
    name: 'worker-program',
    needsLeaderElection: false,
    async run(signal) {
      while (!signal.aborted) {
        let waitMs = checkMs;
        try {
          await storeProgram(manager.client, { namespace, name }, program, signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ error: messageOf(error) }, 'could not store the worker program; retrying');
          waitMs = retryMs;
        }
        await delay(manager.clock, waitMs, signal);
      }
    },
  });
  return name;
}

async function storeProgram(
  client: Pick<Client, 'get' | 'apply'>,
  key: { namespace: string; name: string },
  program: string,
  signal: AbortSignal,
): Promise<void> {
  const account = { namespace: key.namespace, name: workerServiceAccount };
  const owner = await ifFound(client.get(ServiceAccount, account, { signal }));
  const uid = owner?.metadata.uid;
  const ownerReferences =
    uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'ServiceAccount', name: workerServiceAccount, uid }];
  const metadata = { ...key, labels: { [labels.partOf]: projectName }, ownerReferences };
  const data = { [workerProgramFile]: program };
  await client.apply(ConfigMap, { metadata, immutable: true, data }, { signal });
}
