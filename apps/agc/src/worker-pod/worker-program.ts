import { createHash } from 'node:crypto';
import { messageOf, projectName, labels, workerConfigMapName, workerProgramFile } from '@interlock/api';
import { delay, type Logger } from '@interlock/base';
import { ConfigMap, isAlreadyExists, type Manager } from '@interlock/kube';

const retryMs = 5_000;

/**
 * Has the worker program put into the namespace when the process starts: an immutable ConfigMap whose name follows from the
 * program, so that pods of an older controller keep theirs.
 *
 * @returns the name of the ConfigMap
 */
export function addWorkerProgram(manager: Manager, log: Logger, namespace: string, program: string): string {
  const name = workerConfigMapName(createHash('sha256').update(program).digest('hex'));
  const config: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { [labels.partOf]: projectName } },
    immutable: true,
    data: { [workerProgramFile]: program },
  };
  manager.add({
    name: 'worker-program',
    needsLeaderElection: false,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await manager.client.create(ConfigMap, config, { signal });
          return;
        } catch (error) {
          if (signal.aborted || isAlreadyExists(error)) return;
          log.warn({ error: messageOf(error) }, 'could not store the worker program; tries again');
          await delay(manager.clock, retryMs, signal);
        }
      }
    },
  });
  return name;
}
