import {
  apiVersionOf,
  customKinds,
  fluxResources,
  gatingGroup,
  GateBinding,
  isTyped,
  labels,
  projectName,
  PullRequest,
  typeMeta,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { holdMarksOf } from '@interlock/gating';
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Deployment,
  Lease,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type ListOptions,
} from '@interlock/kube';
import type { Session } from '../session.js';
import type { Found, FoundHold, FoundObject, Observed, Unread } from './observed.js';

type Connection = Pick<Session, 'client' | 'signal'>;

interface ServedKind {
  kind: Kind;
  isOurs: boolean;
}

/** Kinds for which more than the metadata is needed to determine what a finalizer guards. */
const readWhole: readonly string[] = [PullRequest.kind, GateBinding.kind];
const ofCharts = { labelSelector: `${labels.partOf}=${projectName}` };

/**
 * Returns the remains of an installation. Unreadable resources are recorded.
 *
 * @throws TypedError for every other failure
 */
export async function observe(connection: Connection, namespace: string | undefined): Promise<Observed> {
  const reader = new Reader(connection);
  const isScoped = namespace !== undefined;
  const served = await reader.servedKinds();
  const kinds = served.filter(({ kind }) => !isScoped || kind.namespaced);
  return {
    ...(isScoped && { namespace }),
    leases: await reader.list(Lease),
    deployments: await reader.list(Deployment, ofCharts),
    objects: await reader.objects(kinds, namespace),
    held: await reader.holds(),
    webhooks: isScoped ? [] : await reader.webhooks(),
    roles: isScoped ? [] : await reader.roles(),
    definitions: isScoped ? [] : await reader.definitions(served),
    unread: reader.unread,
  };
}

class Reader {
  readonly unread: Unread[] = [];
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns all objects of a kind; none if the cluster does not serve it. */
  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<T[]> {
    const { client, signal } = this.#connection;
    try {
      return (await client.list(kind, { ...options, signal })).items;
    } catch (error) {
      if (isTyped(error, 'NotFound')) return [];
      if (!isTyped(error, 'Unauthorized')) throw error;
      const { group, plural } = kind;
      this.unread.push({ resource: group === '' ? plural : `${plural}.${group}`, message: error.message });
      return [];
    }
  }

  /** Returns the served kinds of the project. The category determines whether the definition belongs to the project. */
  async servedKinds(): Promise<ServedKind[]> {
    const versions = [...new Set(customKinds.map(apiVersionOf))];
    const served = await Promise.all(versions.map((version) => this.#categories(version)));
    return customKinds.flatMap((kind) => {
      const categories = served[versions.indexOf(apiVersionOf(kind))]?.get(kind.plural);
      return categories === undefined ? [] : [{ kind, isOurs: categories.includes(projectName) }];
    });
  }

  async #categories(apiVersion: string): Promise<Map<string, readonly string[]>> {
    const { client, signal } = this.#connection;
    try {
      const { resources = [] } = await client.raw<{ resources?: { name: string; categories?: string[] }[] }>(
        { method: 'GET', path: `/apis/${apiVersion}` },
        { signal },
      );
      return new Map(resources.map(({ name, categories = [] }) => [name, categories]));
    } catch (error) {
      if (isTyped(error, 'NotFound')) return new Map();
      throw error;
    }
  }

  async objects(kinds: readonly ServedKind[], namespace: string | undefined): Promise<FoundObject[]> {
    const found: FoundObject[] = [];
    for (const { kind, isOurs } of kinds) {
      const options = {
        namespace,
        ...(!readWhole.includes(kind.kind) && { metadataOnly: true }),
      };
      for (const object of await this.list(kind, options)) found.push({ kind, object, isOurs });
    }
    return found;
  }

  /** Returns the held Flux objects. A binding can hold objects in other namespaces, so all namespaces are read. */
  async holds(): Promise<FoundHold[]> {
    const found: FoundHold[] = [];
    for (const kind of Object.values<Kind>(fluxResources)) {
      for (const object of await this.list(kind, { metadataOnly: true })) {
        const marks = holdMarksOf(object);
        if (marks !== undefined) found.push({ kind, marks, object: { ...object, ...typeMeta(kind) } });
      }
    }
    return found;
  }

  /** Returns the webhook configurations that the charts install, and the others that concern only gates. */
  async webhooks(): Promise<Found[]> {
    const validating = await this.list(ValidatingWebhookConfiguration);
    const mutating = await this.list(MutatingWebhookConfiguration);
    return [
      ...validating.map((object) => ({ kind: ValidatingWebhookConfiguration, object })),
      ...mutating.map((object) => ({ kind: MutatingWebhookConfiguration, object })),
    ].filter(({ object: { metadata, webhooks = [] } }) => {
      const isOfGates = webhooks.every(({ name }) => name.endsWith(`.${gatingGroup}`));
      return metadata.labels?.[labels.partOf] === projectName || (webhooks.length > 0 && isOfGates);
    });
  }

  async roles(): Promise<Found[]> {
    const bindings = await this.list(ClusterRoleBinding, ofCharts);
    const roles = await this.list(ClusterRole, ofCharts);
    return [
      ...bindings.map((object) => ({ kind: ClusterRoleBinding, object })),
      ...roles.map((object) => ({ kind: ClusterRole, object })),
    ];
  }

  async definitions(served: readonly ServedKind[]): Promise<Found[]> {
    const names = served.filter(({ isOurs }) => isOurs).map(({ kind }) => `${kind.plural}.${kind.group}`);
    const all = await this.list(CustomResourceDefinition, { metadataOnly: true });
    return all
      .filter(({ metadata }) => names.includes(metadata.name))
      .map((object) => ({ kind: CustomResourceDefinition, object }));
  }
}
