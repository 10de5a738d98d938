import {
  runnerAnnotations,
  ifFound,
  isTyped,
  keyOf,
  runnerLabels,
  TypedError,
  type ObjectKey,
  type OwnerReference,
  type RunnerGroup,
} from '@interlock/api';
import type { Claim, LockReference } from '@interlock/broker';
import {
  annotationsChanged,
  isAlreadyExists,
  labelsChanged,
  or,
  Secret,
  type Client,
  type Pod,
} from '@interlock/kube';
import {
  decodeLocks,
  encodeLock,
  jobComponent,
  jobSecretName,
  jobSecrets,
  partName,
  siblingKey,
  type TracedClaim,
} from './job-secret.js';
import { decodeRecord, encodeRecord, withSibling, type JobRecord } from './record.js';

/** A recorded job: the metadata of its Secret, and the record in it. */
interface StoredJob {
  secret: Secret;
  record: JobRecord;
}

/** Selects the Secrets of jobs. */
export const jobSelector = `${runnerLabels.component}=${jobComponent}`;

/** Passes an update of a job's Secret that changes the record: the end of the lock is written every minute. */
export const recordChanged = or(annotationsChanged(runnerAnnotations.jobRecord), labelsChanged());

/** The records in the metadata of Secrets: at each event of a job, those of all jobs of its RunnerGroup are read. */
const decoded = new WeakMap<Secret['metadata'], { text: string; record: JobRecord | undefined }>();

/** Returns the record in the metadata of a job's Secret; undefined when it is not a valid record. */
export function recordOf({ metadata }: Pick<Secret, 'metadata'>): JobRecord | undefined {
  const text = metadata.annotations?.[runnerAnnotations.jobRecord];
  if (text === undefined) return undefined;
  const known = decoded.get(metadata);
  if (known?.text === text) return known.record;
  const record = decodeRecord(text);
  decoded.set(metadata, { text, record });
  return record;
}

/** The recorded jobs, as Secrets. A change is refused with a conflict when another process has changed the Secret. */
export class JobStore {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Records a claimed job.
   *
   * @returns `duplicate` when another delivery of the job is recorded
   * @throws TypedError `Permanent` when the payload is too large
   * @throws ApiError
   */
  async create(
    group: RunnerGroup,
    claim: TracedClaim,
    now: number,
    signal: AbortSignal,
  ): Promise<'created' | 'duplicate'> {
    const key = { name: jobSecretName(claim.identity.planId), namespace: group.metadata.namespace ?? '' };
    for (const secret of jobSecrets(group, claim, now)) {
      try {
        await this.#client.create(Secret, secret, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const stored = await ifFound(this.#client.get(Secret, key, { signal }));
        const record = stored && recordOf(stored);
        if (record !== undefined && record.key !== claim.key) return 'duplicate';
        if (record === undefined) await this.#replace(secret, signal);
      }
    }
    return 'created';
  }

  /**
   * Adds another delivery of a recorded job, so that both are concluded together. Adding it again changes nothing.
   *
   * @throws TypedError `Permanent` when the job has too many deliveries
   * @throws ApiError
   */
  async addSibling(key: ObjectKey, claim: Claim, signal: AbortSignal): Promise<void> {
    const data = { [siblingKey(claim.key)]: encodeLock(claim.lock) };
    await this.#change(key, (record) => withSibling(record, claim.key), signal, data);
  }

  /** Records that a user has cancelled a job, and returns whether the job is recorded. */
  async markCancelled(
    key: ObjectKey,
    { at, timeoutMs }: { at: number; timeoutMs: number | undefined },
    signal: AbortSignal,
  ): Promise<boolean> {
    const cancel = (record: JobRecord): JobRecord =>
      record.cancelledAt === undefined ? { ...record, cancelledAt: at, cancelTimeoutMs: timeoutMs } : record;
    return (await ifFound(this.#change(key, cancel, signal))) !== undefined;
  }

  /**
   * Changes the record of a job.
   *
   * @param owner the worker pod, which then owns the Secrets together with the RunnerGroup: they are removed when both are gone, if
   *   not before
   * @throws ApiError `Conflict` when the record has changed since it was read
   */
  async update(
    { secret, record }: StoredJob,
    changes: Partial<JobRecord>,
    signal: AbortSignal,
    owner?: Pod,
  ): Promise<void> {
    const metadata = {
      resourceVersion: secret.metadata.resourceVersion,
      annotations: { [runnerAnnotations.jobRecord]: encodeRecord({ ...record, ...changes }) },
      ...(owner && { ownerReferences: withOwner(secret, owner) }),
    };
    await this.#client.patch(Secret, keyOf(secret), { type: 'merge', patch: { metadata } }, { signal });
    if (owner !== undefined) await this.#ownParts(secret, record.parts, owner, signal);
  }

  /** Writes the end of a job's lock to the job's Secret, for operators. */
  async recordLock(key: ObjectKey, lockedUntil: number, signal: AbortSignal): Promise<void> {
    const patch = {
      metadata: { annotations: { [runnerAnnotations.lockedUntil]: new Date(lockedUntil).toISOString() } },
    };
    await this.#client.patch(Secret, key, { type: 'merge', patch }, { signal });
  }

  /** Returns the locks of a job: the lock of the delivery that runs, then the locks of further deliveries. */
  async locks(key: ObjectKey, siblings: readonly string[], signal: AbortSignal): Promise<LockReference[]> {
    const secret = await this.#client.get(Secret, key, { signal });
    const locks = decodeLocks(secret, siblings);
    if (locks.length === 0) {
      throw new TypedError(
        'Permanent',
        `the Secret ${key.name} of a job has no readable lock.json; the lock of the job cannot be renewed`,
      );
    }
    return locks;
  }

  /**
   * Removes the Secrets of a job; a missing one is not an error.
   *
   * @throws TypedError `Transient` when another delivery was added since the record was read
   */
  async remove({ secret, record }: StoredJob, signal: AbortSignal): Promise<void> {
    const { name, namespace } = secret.metadata;
    for (let part = record.parts - 1; part > 0; part--)
      await ifFound(this.#client.delete(Secret, { name: partName(name, part), namespace }, { signal }));
    while (!(await this.#removeRecord(keyOf(secret), record, signal)));
  }

  /** Removes the Secret with the record, and returns whether it is gone; false when it has changed meanwhile. */
  async #removeRecord(key: ObjectKey, { siblings }: JobRecord, signal: AbortSignal): Promise<boolean> {
    const current = await ifFound(this.#client.get(Secret, key, { signal }));
    if (current === undefined) return true;
    const added = recordOf(current)?.siblings.filter((key) => !siblings.includes(key)) ?? [];
    if (added.length > 0)
      throw new TypedError('Transient', `another delivery of ${key.name} was added; it is concluded as well`);
    const { resourceVersion = '' } = current.metadata;
    try {
      await ifFound(this.#client.delete(Secret, key, { resourceVersion, signal }));
      return true;
    } catch (error) {
      if (!isTyped(error, 'Conflict')) throw error;
      return false;
    }
  }

  /** Replaces a Secret of a claim that was not recorded: the service may answer a repeated claim with another payload. */
  async #replace(secret: Secret, signal: AbortSignal): Promise<void> {
    const { annotations } = secret.metadata;
    const patch = { metadata: { annotations }, data: secret.data };
    await this.#client.patch(Secret, keyOf(secret), { type: 'merge', patch }, { signal });
  }

  async #ownParts(secret: Secret, parts: number, owner: Pod, signal: AbortSignal): Promise<void> {
    const { name, namespace } = secret.metadata;
    const patch = { metadata: { ownerReferences: withOwner(secret, owner) } };
    for (let part = 1; part < parts; part++) {
      const key = { name: partName(name, part), namespace };
      await this.#client.patch(Secret, key, { type: 'merge', patch }, { signal });
    }
  }

  async #change(
    key: ObjectKey,
    next: (record: JobRecord) => JobRecord,
    signal: AbortSignal,
    data?: Record<string, string>,
  ): Promise<Secret> {
    for (;;) {
      const secret = await this.#client.get(Secret, key, { signal });
      const record = recordOf(secret);
      if (record === undefined)
        throw new TypedError('Permanent', `the Secret ${key.name} of a job has no readable record`);
      const metadata = {
        resourceVersion: secret.metadata.resourceVersion,
        annotations: { [runnerAnnotations.jobRecord]: encodeRecord(next(record)) },
      };
      try {
        const patch = { metadata, data };
        return await this.#client.patch(Secret, key, { type: 'merge', patch }, { signal });
      } catch (error) {
        if (!isTyped(error, 'Conflict')) throw error;
      }
    }
  }
}

function withOwner({ metadata }: Secret, pod: Pod): OwnerReference[] {
  const others = (metadata.ownerReferences ?? []).filter(({ kind }) => kind !== 'Pod');
  const { name, uid = '' } = pod.metadata;
  return [...others, { apiVersion: 'v1', kind: 'Pod', name, uid }];
}
