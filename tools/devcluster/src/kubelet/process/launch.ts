import { textAt, textsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { expand } from '../environment/expand.js';
import { containerEnvironment, type Environment, type ReferredObjects } from '../environment/environment.js';
import type { ImageProgram } from './image-table.js';
import { containerMounts, rewritePaths, type Mount } from './mounts.js';
import { hostFolder } from './root-folder.js';

const longestHostname = 63;

/** The inputs of the launch of a container. */
export interface Launch {
  program: string;
  args: string[];
  environment: Environment;
  folder: string;
  mounts: Mount[];
}

interface LaunchSources {
  pod: KubeObject;
  container: JsonObject;
  image: ImageProgram;
  objects: ReferredObjects;
  podIp: string;
  hostIp: string;
  /** The folder that contains a folder for each volume. */
  volumes: string;
  /** Default environment variables of every container. */
  base: Environment;
  /** A script that Node.js processes load first. */
  preload: string;
  /** Additional mounts of the container. */
  ownMounts: readonly Mount[];
  /** Whether files are available through bind mounts, so that no path has to be rewritten. */
  hasBindMounts: boolean;
}

/**
 * Returns the launch of a container. Paths of the machine in its image do not change.
 * @throws StartProblem `CreateContainerConfigError`.
 */
export function launchOf(sources: LaunchSources): Launch {
  const { pod, container, image, volumes, base, hasBindMounts } = sources;
  const own = containerEnvironment(pod, container, sources.objects, sources);
  const mounts = [...sources.ownMounts, ...containerMounts(pod, container, volumes, own)];
  const place = (text: string): string => (hasBindMounts ? text : rewritePaths(text, mounts));
  const ofMachine = (text: string): string =>
    hasBindMounts && isCovered(text, mounts) ? `${hostFolder}${text}` : text;
  const given = mapValues({ ...base, ...image.env }, ofMachine);
  const { NODE_OPTIONS: options = '', ...rest } = mapValues(own, place);
  const preload = `--require=${ofMachine(sources.preload)}`;
  const environment = { ...given, ...rest, NODE_OPTIONS: options === '' ? preload : `${preload} ${options}` };
  const [program = '', ...args] = commandOf(container, image, {
    ofMachine,
    ofContainer: (text) => place(expand(text, (name) => own[name])),
  });
  return { program, args, environment, mounts, folder: place(textAt(container, 'workingDir') || '/') };
}

/** Returns the host name of a pod: at most 63 characters, as a real kubelet shortens the name of the pod. */
export function hostnameOf(pod: KubeObject): string {
  const name = textAt(pod, 'spec', 'hostname') || pod.metadata.name;
  return name.slice(0, longestHostname).replace(/[-.]+$/, '');
}

/** Returns whether a path of the machine is hidden by a mount of the container. */
function isCovered(path: string, mounts: readonly Mount[]): boolean {
  return mounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`));
}

function mapValues(record: Environment, change: (value: string) => string): Environment {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

interface Placing {
  ofMachine: (text: string) => string;
  ofContainer: (text: string) => string;
}

/** Returns the command: `command` replaces the program and the arguments of the image, `args` only its arguments. */
function commandOf(
  container: JsonObject,
  image: ImageProgram,
  { ofMachine, ofContainer }: Placing,
): string[] {
  const command = textsAt(container, 'command').map(ofContainer);
  const args = textsAt(container, 'args').map(ofContainer);
  if (command.length > 0) return [...command, ...args];
  return [...image.command.map(ofMachine), ...(args.length > 0 ? args : (image.args ?? []).map(ofMachine))];
}
