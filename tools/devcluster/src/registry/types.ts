import type { Clock } from '@interlock/base';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator, RbacAuthorizer, ServiceAccountTokens, User } from '../auth/index.js';
import type { EventNames } from '../controllers/event-names.js';
import type { NodeAgent } from '../kubelet/logs/container-log.js';
import type { KubeObject } from '../object.js';
import type { CompiledSchema } from '../schema/compile.js';
import type { Cause, Json, JsonObject, Schema } from '../schema/types.js';
import type { Store } from '../store/store.js';
import type { Column } from '../table/column.js';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** The specific behavior of a kind (k8s.io/apiserver rest.Strategy). Functions change the given object in place. */
export interface Strategy {
  /** Returns the problems with a name, or undefined. `prefix`: the name is a generateName. */
  checkName: (name: string, prefix: boolean) => string | undefined;
  /** Whether `metadata.generation` is kept. */
  generation: boolean;
  /** Whether `status` is written through its subresource only. */
  status: boolean;
  /** Whether an update may omit the resourceVersion. */
  unconditionalUpdate: boolean;
  /** Whether an update of a missing object creates it. */
  createOnUpdate: boolean;
  /** Whether a deletion answers with the object instead of a Status. */
  returnsDeleted: boolean;
  /** Whether writes through `status` do not change metadata. */
  statusKeepsMetadata: boolean;
  /** Defaults that a schema cannot state; part of decoding, so they are owned by the writer. */
  defaults?: (object: KubeObject) => void;
  prepareCreate?: (object: KubeObject) => void;
  prepareUpdate?: (object: KubeObject, old: KubeObject) => void;
  prepareStatusUpdate?: (object: KubeObject, old: KubeObject) => void;
  validate?: (object: KubeObject, old: KubeObject | undefined) => Cause[];
  validateUpdate?: (object: KubeObject, old: KubeObject) => Cause[];
  /** Finalizers that every deletion adds to the object. */
  finalizersOnDelete?: readonly string[];
  /** Whether anything besides finalizers delays the removal of an object that is being deleted. */
  holdsDeletion?: (object: KubeObject) => boolean;
  /** Called when deletion was requested and the object still exists. */
  prepareDelete?: (object: KubeObject) => void;
  /** The seconds within which the object can terminate; `requested` is the value in the deletion. Default: none. */
  gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
  /** Whether a deletion without a propagation policy orphans dependents, with a warning. */
  orphansByDefault?: boolean;
  /** The part whose change makes a new generation; default: everything but metadata and status. */
  desired?: (object: KubeObject) => Json;
  /** Whether an empty list in the spec, which is not stored, makes a new generation at each apply. */
  distinguishesEmptyLists?: boolean;
}

/** Paths of the scale subresource (apiextensions.k8s.io/v1 CustomResourceSubresourceScale). */
export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

/** The conversion between a version of a resource and the stored form. */
export interface Conversion {
  toStorage: (object: KubeObject) => KubeObject;
  fromStorage: (object: KubeObject) => KubeObject;
}

/** A request to a subresource, or to a resource that is not stored (reviews). */
export interface Call {
  cluster: Cluster;
  resource: Resource;
  verb: Verb;
  namespace: string;
  /** Name of the object; empty if the request contains none. */
  name: string;
  query: URLSearchParams;
  /** The parsed body; null if the request has none. */
  body: Json;
  context: WriteContext;
}

/** The response of a call: an HTTP status and an object. */
export interface CallAnswer {
  code: number;
  object: JsonObject;
  /** Sends a response in place of `object`. Resolves when the response is complete. */
  stream?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** A subresource beyond `status` and `scale`. */
export interface Subresource {
  /** The kind in discovery, with its group and version when they are not the resource's own. */
  kind: string;
  group?: string;
  version?: string;
  verbs: readonly Verb[];
  handle: (call: Call) => Promise<CallAnswer> | CallAnswer;
}

/** A resource in one version, as served. */
export interface Resource {
  group: string;
  version: string;
  /** The plural name in paths. */
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  verbs: readonly Verb[];
  /** The store's collection: the same for all versions. */
  collection: string;
  /** Whether a CustomResourceDefinition defines the resource. */
  custom: boolean;
  schema: Schema;
  compiled: CompiledSchema;
  /** The object with which a create is compared to find owned fields; undefined for custom kinds. */
  empty: JsonObject | undefined;
  scale: ScalePaths | undefined;
  strategy: Strategy;
  columns: readonly Column[];
  /** Selectable fields in addition to metadata.name and metadata.namespace. */
  fields: Readonly<Record<string, (object: KubeObject) => string>>;
  conversion: Conversion | undefined;
  subresources: Readonly<Record<string, Subresource>>;
  /** The response to a create; set for resources that are not stored. */
  answer?: (call: Call) => Promise<CallAnswer> | CallAnswer;
  /** Set while new objects are refused (the definition is being deleted). */
  terminating?: boolean;
  deprecationWarning?: string;
}

/** The served resources, by group version and plural. */
export interface ResourceRegistry {
  /** Returns the resource of a path, if it is served. */
  get(group: string, version: string, plural: string): Resource | undefined;
  /** Returns all resources in the order in which they were added. */
  all(): Resource[];
  /** Returns one version of each stored collection, for garbage collection and the deletion of namespaces. */
  collections(): Resource[];
  /** Returns a served resource by kind. */
  byKind(apiVersion: string, kind: string): Resource | undefined;
  /** Returns whether any version of the group is served. */
  hasGroup(group: string): boolean;
  /** Returns whether the group version is served. */
  hasGroupVersion(group: string, version: string): boolean;
  add(...resources: Resource[]): void;
  /**
   * Serves these versions of a resource instead of all that were served; without any, the resource is no longer served.
   */
  replace(group: string, plural: string, versions: readonly Resource[]): void;
  /** Calls back when the set of resources changes. Returns a function that stops the calls. */
  onChange(listener: () => void): () => void;
}

/** The conversion of an object to the kind of a subresource. */
export interface AdmissionView {
  kind: { group: string; version: string; kind: string };
  show: (object: KubeObject) => JsonObject;
  /** Changes the object in place to reflect the changes to its converted form. */
  restore: (object: KubeObject, shown: JsonObject) => void;
}

/** The attributes of a write for admission, before it is stored. */
export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE';
  resource: Resource;
  subresource: string | undefined;
  /** Namespace; empty for cluster-scoped objects. */
  namespace: string;
  name: string;
  /** The object to store; plugins that mutate change it in place. Absent for DELETE. */
  object: KubeObject | undefined;
  /** The stored object; absent for CREATE. */
  old: KubeObject | undefined;
  /** The conversion to the objects that webhooks receive instead of `object` and `old`. */
  view?: AdmissionView | undefined;
  user: User;
  dryRun: boolean;
  /** The options of the request, such as its field manager, without kind and version. */
  options?: JsonObject;
  /** Whether a single request deletes several objects. */
  ofCollection?: boolean;
  /** Adds a Warning header to the response. */
  warn: (text: string) => void;
}

/** A step of admission; refuses by throwing ApiError. All mutating steps run before all validating ones. */
export interface AdmissionPlugin {
  mutate?: (request: AdmissionRequest, cluster: Cluster) => Promise<void> | void;
  validate?: (request: AdmissionRequest, cluster: Cluster) => Promise<void> | void;
}

/** The parts that requests and controllers share. */
export interface Cluster {
  store: Store;
  registry: ResourceRegistry;
  rbac: RbacAuthorizer;
  authenticator: Authenticator;
  tokens: ServiceAccountTokens;
  /** Audiences of service-account tokens for this API server. */
  audiences: readonly [string, ...string[]];
  admission: readonly AdmissionPlugin[];
  /** The kubelets that run, by the names of their nodes. */
  kubelets: Map<string, NodeAgent>;
  /** The names of the events that the server's own components record. */
  eventNames: EventNames;
  now: () => Date;
  /** The clock for delays. */
  clock: Clock;
  newUid: () => string;
  /** Five characters that complete a generateName. */
  newSuffix: () => string;
}

/** The author of a write, and its options. */
export interface WriteContext {
  user: User;
  /** Field manager of the write. */
  manager: string;
  dryRun: boolean;
  /** For admission: see AdmissionRequest. */
  options?: JsonObject;
  ofCollection?: boolean;
  warn: (text: string) => void;
}
