import { errorText } from '../../error-text.js';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { StartProblem } from '../container-runtime.js';
import { fieldValue, resourceValue, type PodAddresses } from '../environment/downward.js';
import { dataOf, type ReferredObjects } from '../environment/environment.js';

interface VolumeFile {
  content: Buffer;
  /** Permission bits. */
  mode: number;
}

/** The files of a volume by their path in it. */
export type VolumeFiles = Map<string, VolumeFile>;

interface VolumeSources extends PodAddresses {
  objects: ReferredObjects;
  /** Returns a token of the pod's account; the empty audience means the API server. */
  token: (audience: string, expirationSeconds: number) => string;
}

const defaultMode = 0o644;
const tokenMode = 0o600;
const defaultTokenSeconds = 3600;

/** Returns whether the content of a volume comes from objects. */
export function hasFiles(volume: JsonObject): boolean {
  return ['secret', 'configMap', 'downwardAPI', 'projected'].some((type) => type in volume);
}

/** Returns the current content of a volume of the pod. Throws StartProblem `FailedMount`. */
export function volumeFiles(pod: KubeObject, volume: JsonObject, sources: VolumeSources): VolumeFiles {
  const name = textAt(volume, 'name');
  try {
    const files = filesOf(pod, volume, sources);
    for (const path of files.keys()) checkInside(path);
    return files;
  } catch (error) {
    const why = errorText(error);
    throw new StartProblem('FailedMount', `MountVolume.SetUp failed for volume "${name}" : ${why}`);
  }
}

function filesOf(pod: KubeObject, volume: JsonObject, sources: VolumeSources): VolumeFiles {
  if ('projected' in volume) {
    const projected = objectAt(volume, 'projected');
    const mode = modeOf(projected['defaultMode'], defaultMode);
    return new Map(
      objectsAt(projected, 'sources').flatMap((one) => [...sourceFiles(pod, one, sources, mode)]),
    );
  }
  const [type = ''] = Object.keys(volume).filter((key) => key !== 'name');
  const source = objectAt(volume, type);
  /* A Secret is named by another field in a volume than in a projection. */
  const named = type === 'secret' ? { ...source, name: textAt(source, 'secretName') } : source;
  return sourceFiles(pod, { [type]: named }, sources, modeOf(source['defaultMode'], defaultMode));
}

/** Throws for a path outside of its volume, which the API server also refuses. */
export function checkInside(path: string): void {
  if (path.startsWith('/')) throw new Error(`path ${path} must be a relative path`);
  if (path.split('/').includes('..')) throw new Error(`path ${path} must not contain '..'`);
}

function modeOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function sourceFiles(pod: KubeObject, source: JsonObject, sources: VolumeSources, mode: number): VolumeFiles {
  if ('secret' in source) return objectFiles(objectAt(source, 'secret'), 'secret', sources.objects, mode);
  if ('configMap' in source)
    return objectFiles(objectAt(source, 'configMap'), 'configmap', sources.objects, mode);
  if ('downwardAPI' in source) return downwardFiles(pod, objectAt(source, 'downwardAPI'), sources, mode);
  if ('serviceAccountToken' in source) {
    const { path, audience, expirationSeconds } = objectAt(source, 'serviceAccountToken');
    const seconds = typeof expirationSeconds === 'number' ? expirationSeconds : defaultTokenSeconds;
    const content = Buffer.from(sources.token(typeof audience === 'string' ? audience : '', seconds));
    return new Map([[String(path), { content, mode: mode === defaultMode ? mode : tokenMode }]]);
  }
  throw new Error(`unsupported volume type ${Object.keys(source).join()}`);
}

function objectFiles(
  ref: JsonObject,
  kind: 'secret' | 'configmap',
  objects: ReferredObjects,
  mode: number,
): VolumeFiles {
  const name = textAt(ref, 'name');
  const isOptional = ref['optional'] === true;
  const found = kind === 'secret' ? objects.secret(name) : objects.configMap(name);
  if (found === undefined) {
    if (isOptional) return new Map();
    throw new Error(`${kind} "${name}" not found`);
  }
  const data = dataOf(found);
  const items = objectsAt(ref, 'items');
  if (items.length === 0)
    return new Map(Object.entries(data).map(([key, content]) => [key, { content, mode }]));
  return new Map(
    items.flatMap((item): [string, VolumeFile][] => {
      const key = textAt(item, 'key');
      const content = data[key];
      if (content !== undefined)
        return [[textAt(item, 'path'), { content, mode: modeOf(item['mode'], mode) }]];
      if (isOptional) return [];
      throw new Error(
        kind === 'secret'
          ? `references non-existent secret key: ${key}`
          : `configmap references non-existent config key: ${key}`,
      );
    }),
  );
}

function downwardFiles(
  pod: KubeObject,
  source: JsonObject,
  sources: VolumeSources,
  mode: number,
): VolumeFiles {
  return new Map(
    objectsAt(source, 'items').map((item): [string, VolumeFile] => {
      const fieldPath = textAt(item, 'fieldRef', 'fieldPath');
      const text =
        fieldPath === ''
          ? resourceValue(pod, objectAt(item, 'resourceFieldRef'), {})
          : fieldValue(pod, fieldPath, sources);
      const file = { content: Buffer.from(text), mode: modeOf(valueAt(item, 'mode'), mode) };
      return [textAt(item, 'path'), file];
    }),
  );
}
