import { payloadChunkKey, payloadKey, workerProgramFile } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import { jobSecretName, partName } from '../job/job-secret.js';
import type { JobRecord } from '../job/record.js';

/** Names of the volumes that the controller adds; a volume of the template with one of them is replaced. */
export const payloadVolume = 'interlock-job-payload';
export const programVolume = 'interlock-worker';

/** Returns the volumes of a worker pod: those of the template, the payload without the lock beside it, and the worker program. */
export function jobVolumes(
  volumes: readonly core.Volume[],
  { planId, parts }: Pick<JobRecord, 'planId' | 'parts'>,
  programConfigMap: string,
): core.Volume[] {
  const name = jobSecretName(planId);
  const sources = Array.from({ length: parts }, (_, part) => {
    const key = parts === 1 ? payloadKey : payloadChunkKey(part);
    return { secret: { name: partName(name, part), items: [{ key, path: key }] } };
  });
  const ours: core.Volume[] = [
    { name: payloadVolume, projected: { sources, defaultMode: 0o444 } },
    {
      name: programVolume,
      configMap: {
        name: programConfigMap,
        items: [{ key: workerProgramFile, path: workerProgramFile }],
        defaultMode: 0o444,
      },
    },
  ];
  const names = new Set(ours.map((volume) => volume.name));
  return [...volumes.filter((volume) => !names.has(volume.name)), ...ours];
}
