import type { ServerResponse } from 'node:http';
import { badRequest, notFound } from '../../api/api-error.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { Call, CallAnswer } from '../../registry/types.js';
import type { JsonObject } from '../../schema/types.js';
import { keyOf } from '../../store/entry.js';
import { containersOf } from '../pod-model.js';
import type { ContainerLog, LogLine } from './container-log.js';
import { lineText, logOptions, selectedLines, type LogOptions } from './log-options.js';

/** Buffer size above which a slow client is disconnected. */
const maxUnreadBytes = 64 * 1024 * 1024;

/** Handles `GET …/pods/<name>/log`. Throws ApiError with the messages of the API server and of the kubelet. */
export function podLog({ cluster, namespace, name, query }: Call): CallAnswer {
  const pod = cluster.store.get('pods', keyOf(namespace, name))?.object;
  if (pod === undefined) throw notFound({ group: '', kind: 'pods', name });
  const options = logOptions(query, name, cluster.now());
  const container = containerName(pod, options.container);
  const nodeName = textAt(pod, 'spec', 'nodeName');
  if (nodeName === '') return { code: 204, object: {}, stream: noContent };
  const node = cluster.kubelets.get(nodeName);
  if (node === undefined) throw notFound({ group: '', kind: 'nodes', name: nodeName });
  const id = containerId(pod, container, options.previous);
  const log = node.log(id.replace(/^[^:]*:\/\//, ''));
  return {
    code: 200,
    object: {},
    stream: (_request, response) =>
      log === undefined
        ? sendText(response, `unable to retrieve container logs for ${id}`)
        : sendLog(response, log, options),
  };
}

function containerName(pod: KubeObject, requested: string): string {
  const { name } = pod.metadata;
  const names = containersOf(pod).map((container) => container.name);
  if (requested !== '') {
    if (names.includes(requested)) return requested;
    throw badRequest(`container ${requested} is not valid for pod ${name}`);
  }
  const apps = objectsAt(pod, 'spec', 'containers');
  const [only] = apps;
  if (only !== undefined && apps.length === 1) return textAt(only, 'name');
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`);
}

/** Returns the id of the run whose log is requested. Source: Kubernetes pkg/kubelet (validateContainerLogStatus). */
function containerId(pod: KubeObject, container: string, isPrevious: boolean): string {
  const { name } = pod.metadata;
  const lists = ['initContainerStatuses', 'containerStatuses'];
  const status = lists
    .flatMap((list) => objectsAt(pod, 'status', list))
    .find((one) => one['name'] === container);
  if (status === undefined) throw badRequest(`container "${container}" in pod "${name}" is not available`);
  const last = textAt(status, 'lastState', 'terminated', 'containerID');
  if (isPrevious) {
    if (last !== '') return last;
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  const state = objectAt(status, 'state');
  if ('running' in state) return textAt(status, 'containerID');
  const ended = textAt(state, 'terminated', 'containerID') || last;
  if (ended !== '') return ended;
  if ('terminated' in state) throw badRequest(`container "${container}" in pod "${name}" is terminated`);
  throw badRequest(`container "${container}" in pod "${name}" is waiting to start${waitText(state)}`);
}

function waitText(state: JsonObject): string {
  const reason = textAt(state, 'waiting', 'reason');
  if (reason === 'ErrImagePull') return `: image can't be pulled`;
  if (reason === 'ImagePullBackOff') return ': trying and failing to pull image';
  return reason === '' ? ' - no logs yet' : `: ${reason}`;
}

function noContent(_request: unknown, response: ServerResponse): Promise<void> {
  response.writeHead(204).end();
  return Promise.resolve();
}

function sendText(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
  return Promise.resolve();
}

/** Sends the kept lines and, when the log is followed, the lines that are written until the container ends. */
async function sendLog(response: ServerResponse, log: ContainerLog, options: LogOptions): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-cache, private' });
  response.flushHeaders();
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const writer = new LineWriter(response, options);
  for (const line of selectedLines(log.lines(), options)) writer.write(line);
  if (!options.follow || log.isEnded) response.end();
  const stop = log.follow({ onLine: (line) => writer.write(line), onEnd: () => void response.end() });
  await closed;
  stop();
}

class LineWriter {
  readonly #response: ServerResponse;
  readonly #options: LogOptions;
  #left: number;
  #isContinued = false;

  constructor(response: ServerResponse, options: LogOptions) {
    this.#response = response;
    this.#options = options;
    this.#left = options.limitBytes ?? Infinity;
  }

  write(line: LogLine): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    const text = lineText(line, this.#options, this.#isContinued).slice(0, this.#left);
    this.#isContinued = line.isPartial;
    this.#left -= text.length;
    response.write(text, 'latin1');
    if (this.#left === 0) response.end();
    else if (response.writableLength > maxUnreadBytes) response.destroy();
  }
}
