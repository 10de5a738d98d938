import { distinct, plural, quoted, uses, type Check, type PodTemplate } from './check.js';
import { objectsAt, textAt, valueAt } from '../../../object.js';
import type { JsonObject } from '../../../schema/types.js';

const allowedSources = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

function volumesOf({ spec }: PodTemplate, test: (volume: JsonObject) => boolean): JsonObject[] {
  return objectsAt(spec, 'volumes').filter(test);
}

function namesOfVolumes(volumes: readonly JsonObject[]): string {
  return `${plural('volume', volumes.length)} ${quoted(volumes.map((volume) => textAt(volume, 'name')))}`;
}

/** Baseline: volumes must not be directories of the node. */
export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const bad = volumesOf(pod, (volume) => valueAt(volume, 'hostPath') !== undefined);
        return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: namesOfVolumes(bad) };
      },
    },
  ],
};

function sourceOf(volume: JsonObject): string {
  return Object.keys(volume).find((field) => field !== 'name') ?? 'unknown';
}

/** Restricted: volumes must have types that do not access storage directly. */
export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  overrides: 'hostPathVolumes',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const bad = volumesOf(pod, (volume) => !allowedSources.includes(sourceOf(volume)));
        if (bad.length === 0) return undefined;
        const types = distinct(bad.map(sourceOf));
        const what = `${plural('restricted volume type', types.length)} ${quoted(types)}`;
        return {
          reason: 'restricted volume types',
          detail: `${namesOfVolumes(bad)} ${uses(bad.length)} ${what}`,
        };
      },
    },
  ],
};
