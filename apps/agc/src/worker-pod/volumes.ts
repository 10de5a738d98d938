import { payloadChunkKey, payloadKey, workerProgramFile } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import { jobSecretName, partName } from '../job/job-secret.js';
import type { JobRecord } from '../job/record.js';
import { authoritiesVolume, type AuthoritiesRef } from './github-authorities.js';

/** Names of the volumes that the controller adds; a volume of the template with one of these names is replaced. */
export const payloadVolume = 'interlock-job-payload';
export const programVolume = 'interlock-worker';
export const proxyCaVolume = 'interlock-proxy-ca';
export const gitHubCaVolume = 'interlock-github-ca';

/** The folders with the authorities of the proxy and with the authorities of GitHub. */
export const proxyCaFolder = '/etc/actions-gateway/proxy-ca';
export const gitHubCaFolder = '/etc/actions-gateway/github-ca';
export const caFile = 'ca.crt';

/** Mounts only the certificate, because the private key of the proxy can be in the same Secret. */
function proxyCaOf(secretName: string): core.Volume {
  const items = [{ key: caFile, path: caFile }];
  return { name: proxyCaVolume, secret: { secretName, items, defaultMode: 0o444 } };
}

/**
 * Returns the volumes of a worker pod: the volumes of the template, the payload (without the lock in the same Secret), and the
 * worker program.
 */
export function jobVolumes(
  volumes: readonly core.Volume[],
  { planId, parts }: Pick<JobRecord, 'planId' | 'parts'>,
  {
    programConfigMap,
    proxyCaSecret,
    gitHubCa,
  }: {
    programConfigMap: string;
    proxyCaSecret?: string | undefined;
    gitHubCa?: AuthoritiesRef | undefined;
  },
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
    ...(proxyCaSecret === undefined ? [] : [proxyCaOf(proxyCaSecret)]),
    ...(gitHubCa === undefined ? [] : [authoritiesVolume(gitHubCaVolume, gitHubCa, caFile)]),
  ];
  const names = new Set(ours.map((volume) => volume.name));
  return [...volumes.filter((volume) => !names.has(volume.name)), ...ours];
}
