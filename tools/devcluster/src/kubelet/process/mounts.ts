import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { StartProblem } from '../container-runtime.js';
import { expand } from '../environment/expand.js';
import type { Environment } from '../environment/environment.js';
import { checkInside, hasFiles } from '../volumes/volume-files.js';

/** A folder or file of the machine that is mounted in a container. */
export interface Mount {
  mountPath: string;
  source: string;
}

/** Returns the paths of the volumes of a container on the machine. Throws StartProblem `CreateContainerConfigError`. */
export function containerMounts(
  pod: KubeObject,
  container: JsonObject,
  volumes: string,
  environment: Environment,
): Mount[] {
  return objectsAt(container, 'volumeMounts').map((mount) => {
    const name = textAt(mount, 'name');
    const volume = objectsAt(pod, 'spec', 'volumes').find((one) => one['name'] === name) ?? {};
    const subPath =
      textAt(mount, 'subPath') || expand(textAt(mount, 'subPathExpr'), (key) => environment[key]);
    const root = textAt(volume, 'hostPath', 'path') || join(volumes, name);
    return {
      mountPath: textAt(mount, 'mountPath').replace(/(.)\/+$/, '$1'),
      source: subPathOf(root, subPath, volume),
    };
  });
}

function subPathOf(root: string, subPath: string, volume: JsonObject): string {
  if (subPath === '') return root;
  try {
    checkInside(subPath);
  } catch (error) {
    throw new StartProblem('CreateContainerConfigError', (error as Error).message);
  }
  const path = join(root, subPath);
  /* A folder of an empty volume is made when a container is the first to use it. */
  if (!hasFiles(volume) && !existsSync(path)) mkdirSync(path, { recursive: true });
  return path;
}

/**
 * Returns a text in which each mount path is replaced by the path of its volume. It has to be at the beginning or after
 * one of `= : , ; " ' ( [` or white space, and at the end or before `/`, one of `: , ; " ' ) ]` or white space. The
 * longest mount path takes precedence.
 */
export function rewritePaths(text: string, mounts: readonly Mount[]): string {
  if (mounts.length === 0) return text;
  const longestFirst = [...mounts].sort((a, b) => b.mountPath.length - a.mountPath.length);
  const paths = longestFirst.map(({ mountPath }) => mountPath.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(`(^|[=:,;"'(\\[\\s])(${paths.join('|')})(?=$|[/:,;"')\\]\\s])`, 'g');
  return text.replace(pattern, (_match, before: string, path: string) => {
    const mount = longestFirst.find(({ mountPath }) => mountPath === path);
    return `${before}${mount?.source ?? path}`;
  });
}
