import { createHash } from 'node:crypto';
import {
  runnerAnnotations,
  ifFound,
  isTyped,
  runnerLabels,
  messageOf,
  TypedError,
  type RunnerGroup,
} from '@interlock/api';
import type { AgentRecord, AgentStore } from '@interlock/broker';
import { childName, isAlreadyExists, Secret, type CacheReader, type Client } from '@interlock/kube';
import * as z from 'zod';
import { groupReference } from '../group-objects.js';

/** The value of the label that the Secrets of registered runners have. */
const agentComponent = 'agent';
const dataKey = 'agent.json';
const atATime = 16;

const schema = z.object({
  name: z.string().min(1).max(256),
  phase: z.enum(['registering', 'idle', 'claiming', 'bound', 'retiring']),
  githubUrl: z.string().max(2048).optional(),
  runnerId: z.string().max(40).optional(),
  jitConfig: z.string().max(200_000).optional(),
  sessionId: z.string().max(256).optional(),
  delivery: z
    .object({
      requestId: z.string().max(256),
      runServiceUrl: z.string().max(4096),
      billingOwnerId: z.string().max(256),
    })
    .optional(),
});

interface AgentSecretsParts {
  client: Client;
  groups: CacheReader<RunnerGroup>;
  group: string;
  namespace: string;
  /** The identity of this replica. */
  identity: string;
}

/**
 * Stores the records of registered runners, one Secret each. A process that lists them writes its identity into the records of
 * runners that may still claim a job, so that the next change by an earlier leader, which may not know that it has lost the
 * lease, is refused.
 */
export class AgentSecrets implements AgentStore {
  readonly #parts: AgentSecretsParts;
  /** The last known resource version of each Secret, by the name of the runner. */
  readonly #versions = new Map<string, string | undefined>();
  /** Who wrote the records last that were taken over without a change, because their runners can claim no job. */
  readonly #inherited = new Map<string, string | undefined>();

  constructor(parts: AgentSecretsParts) {
    this.#parts = parts;
  }

  async list(signal: AbortSignal): Promise<AgentRecord[]> {
    const { client, group, namespace } = this.#parts;
    const labelSelector = `${runnerLabels.component}=${agentComponent},${runnerLabels.runnerGroup}=${group}`;
    const { items } = await client.list(Secret, { namespace, labelSelector, signal });
    const rest = items.flatMap((secret) => {
      const agent = decodeAgent(secret);
      return agent === undefined ? [] : [{ secret, agent }];
    });
    const agents = rest.map(({ agent }) => agent);
    const worker = async (): Promise<void> => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
        const { secret, agent } = next;
        this.#versions.set(agent.name, secret.metadata.resourceVersion);
        if (agent.phase === 'idle' || agent.phase === 'claiming') await this.save(agent, signal);
        else if (agent.phase !== 'registering') this.#inherited.set(agent.name, writerOf(secret));
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
    return agents;
  }

  async save(agent: AgentRecord, signal: AbortSignal): Promise<void> {
    const isNew = this.#versions.get(agent.name) === undefined;
    try {
      await this.#write(agent, signal);
    } catch (error) {
      if (!isAlreadyExists(error) && !isTyped(error, 'Conflict', 'NotFound')) throw error;
      if (isNew && !isAlreadyExists(error)) throw notCreated(agent.name, error);
      /* The conflict may come from an earlier write of this process whose answer was lost. */
      if (!(await this.#isOurs(agent.name, signal))) throw takenOver(agent.name, error);
      await this.#write(agent, signal);
    }
  }

  async #write(agent: AgentRecord, signal: AbortSignal): Promise<void> {
    const { client } = this.#parts;
    const version = this.#versions.get(agent.name);
    const secret = this.#secretOf(agent, version);
    const saved =
      version === undefined
        ? await client.create(Secret, secret, { signal })
        : await client.update(Secret, secret, { signal });
    this.#versions.set(agent.name, saved.metadata.resourceVersion);
    this.#inherited.delete(agent.name);
  }

  /** Reads the version of a record, and returns whether no replica has written it since this process wrote it or took it over. */
  async #isOurs(name: string, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, identity } = this.#parts;
    const secret = await ifFound(client.get(Secret, { name: secretName(name), namespace }, { signal }));
    if (secret === undefined) return false;
    const writer = writerOf(secret);
    const isInherited = this.#inherited.has(name) && this.#inherited.get(name) === writer;
    if (writer !== identity && !isInherited) return false;
    this.#versions.set(name, secret.metadata.resourceVersion);
    return true;
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#parts;
    await ifFound(client.delete(Secret, { name: secretName(name), namespace }, { signal }));
    this.#versions.delete(name);
    this.#inherited.delete(name);
  }

  #secretOf(agent: AgentRecord, resourceVersion: string | undefined): Secret {
    const { groups, group, namespace, identity } = this.#parts;
    const owner = groups.get({ name: group, namespace });
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: {
        name: secretName(agent.name),
        namespace,
        ...(resourceVersion !== undefined && { resourceVersion }),
        labels: { [runnerLabels.component]: agentComponent, [runnerLabels.runnerGroup]: group },
        annotations: { [runnerAnnotations.ledBy]: identity },
        ...(owner && { ownerReferences: [groupReference(owner)] }),
      },
      data: { [dataKey]: Buffer.from(JSON.stringify(agent)).toString('base64') },
    };
  }
}

/** Returns the identity of the replica that wrote a record last. */
function writerOf({ metadata }: Secret): string | undefined {
  return metadata.annotations?.[runnerAnnotations.ledBy];
}

/**
 * Two API servers that count a Secret for the same ResourceQuota at the same time answer its creation with a conflict about the quota,
 * and a namespace that is being deleted takes no new Secrets: neither shows that another replica leads.
 */
function notCreated(name: string, cause: unknown): TypedError {
  return new TypedError('Transient', `the record of runner ${name} was not created: ${messageOf(cause)}`, {
    cause,
  });
}

function takenOver(name: string, cause: unknown): TypedError {
  return new TypedError('Conflict', `another replica has taken over runner ${name}: ${messageOf(cause)}`, {
    cause,
  });
}

/** Returns the name of the Secret of a runner, whose own name may not be a valid name of an object. */
function secretName(agent: string): string {
  return childName('agent', agent);
}

function decodeAgent({ data }: Pick<Secret, 'data'>): AgentRecord | undefined {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(data?.[dataKey] ?? '', 'base64').toString())).data;
  } catch {
    return undefined;
  }
}

/** Returns the prefix of the names of a group's runners, another one for each group. The source cuts a longer prefix. */
export function runnerNamePrefix(group: string): string {
  const longest = 40;
  if (group.length <= longest) return group;
  const hash = createHash('sha256').update(group).digest('hex').slice(0, 7);
  return `${group.slice(0, longest - 8)}-${hash}`;
}
