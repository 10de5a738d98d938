import { ifFound, isTyped, keyOf, runnerLabels, type ObjectKey, type RunnerGroup } from '@interlock/api';
import type { Clock } from '@interlock/base';
import type { RunReference } from '@interlock/broker';
import { childName, ConfigMap, isAlreadyExists, type Client } from '@interlock/kube';
import { groupReference } from '../group-objects.js';
import {
  decodeRerun,
  encodeRerun,
  withRequest,
  type RerunCause,
  type RerunRecord,
  type RerunRequest,
} from './record.js';

const component = 'rerun';
const dataKey = 'rerun.json';

/** Selects the ConfigMaps of reruns. */
export const rerunSelector = `${runnerLabels.component}=${component}`;

/** Returns the record in a ConfigMap; undefined when it is not valid. */
export function rerunOf({ data }: Pick<ConfigMap, 'data'>): RerunRecord | undefined {
  return decodeRerun(data?.[dataKey]);
}

/** A job whose run is to be run again. `isCancelled`: GitHub shows it as cancelled although no user cancelled it. */
export interface ScheduledRerun {
  run: RunReference;
  cause: RerunCause;
  isCancelled: boolean;
  runnerName: string;
}

/** The runs that are to be run again, as ConfigMaps: one for each run, so that its number of reruns outlives every process. */
export class RerunStore {
  readonly #client: Client;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(client: Client, clock: Pick<Clock, 'now'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Requests a rerun of the run of a job. A repeated request for the same job changes nothing. @throws ApiError */
  async schedule(
    group: RunnerGroup,
    { run, cause, isCancelled, runnerName }: ScheduledRerun,
    signal: AbortSignal,
  ): Promise<void> {
    const { repository, runId, runAttempt, restJobId } = run;
    const name = childName('rerun', group.metadata.name, runId);
    await this.#request(
      group,
      name,
      { repository, runId, runAttempt, restJobId, cause, isCancelled, runnerName },
      signal,
    );
  }

  /** Requests a rerun of the run whose job was lost with a runner. @throws ApiError */
  async scheduleLost(group: RunnerGroup, runnerName: string, signal: AbortSignal): Promise<void> {
    const name = childName('rerun', group.metadata.name, 'lost', runnerName);
    await this.#request(group, name, { cause: 'claimLost', isCancelled: false, runnerName }, signal);
  }

  /** Replaces a record. @throws ApiError `Conflict` when it has changed since it was read */
  async update(config: ConfigMap, record: RerunRecord, signal: AbortSignal): Promise<void> {
    const { resourceVersion } = config.metadata;
    const patch = { metadata: { resourceVersion }, data: { [dataKey]: encodeRerun(record) } };
    await this.#client.patch(ConfigMap, keyOf(config), { type: 'merge', patch }, { signal });
  }

  /** Removes a record; a missing one is not an error. @throws ApiError */
  async remove(key: ObjectKey, signal: AbortSignal): Promise<void> {
    await ifFound(this.#client.delete(ConfigMap, key, { signal }));
  }

  async #request(
    group: RunnerGroup,
    name: string,
    request: RerunRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const namespace = group.metadata.namespace ?? '';
    for (;;) {
      const stored = await ifFound(this.#client.get(ConfigMap, { name, namespace }, { signal }));
      const before = stored && rerunOf(stored);
      const record = withRequest(before, request, this.#clock.now());
      if (record === before) return;
      try {
        if (stored === undefined)
          await this.#client.create(ConfigMap, newConfig(group, name, record), { signal });
        else await this.update(stored, record, signal);
        return;
      } catch (error) {
        /* A quota and a namespace that is being deleted refuse a new record with a conflict as well. */
        const isChanged = stored === undefined ? isAlreadyExists(error) : isTyped(error, 'Conflict');
        if (!isChanged) throw error;
      }
    }
  }
}

function newConfig(group: RunnerGroup, name: string, record: RerunRecord): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: group.metadata.namespace ?? '',
      labels: { [runnerLabels.component]: component, [runnerLabels.runnerGroup]: group.metadata.name },
      ownerReferences: [groupReference(group)],
    },
    data: { [dataKey]: encodeRerun(record) },
  };
}
