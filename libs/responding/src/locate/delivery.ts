import type { KubeObject } from '@interlock/api';
import { isFields, type Fields } from '../facts.js';
import { quoted } from '../problem.js';
import type { Identity } from '../change/yaml/documents.js';
import { resolvePath } from '../change/paths.js';

/** An object that was detected, or an object that delivers it. */
export interface Subject extends Identity {
  labels?: Readonly<Record<string, string>> | undefined;
  annotations?: Readonly<Record<string, string>> | undefined;
}

/** An object of Flux or Argo CD, as the API server returns it. */
export type DeliveryObject = KubeObject & { spec?: unknown };

/** The source of the manifest of an object. */
export interface Delivery {
  type: 'found';
  /** Address of the Git repository. */
  url: string;
  /** Branch, tag or commit that is followed; if absent, the default branch. */
  revision?: string | undefined;
  /** Folder, relative to the root of the repository; empty for the root. */
  folder: string;
  /** The object that delivers the manifest, for messages. */
  by: string;
  /** The object to find: the subject, or the HelmRelease whose chart renders it. */
  object: Identity;
  /** Whether a chart renders the subject, so that only values can be changed. */
  isHelm: boolean;
  /** The transformation of names and namespaces of documents into those of the object. */
  transform: Transform;
  /** Whether manifests without a kustomization are also searched for in the folders below. */
  recurse: boolean;
}

/** The transformation of names by kustomize. Without `namespace`, objects keep their namespaces. */
export interface Transform {
  prefix: string;
  suffix: string;
  namespace?: string | undefined;
  /** Namespace of objects without a namespace. */
  defaultNamespace?: string | undefined;
}

export interface NotLocated {
  type: 'ambiguous' | 'notFound';
  /** A sentence for messages. */
  reason: string;
  /** The object that is needed for an answer. */
  needs?: DeliveryRef;
}

/** An object of Flux or Argo CD. */
export interface DeliveryRef {
  kind: 'Kustomization' | 'HelmRelease' | 'GitRepository' | 'Application';
  /** Absent for any. */
  namespace?: string;
  name: string;
}

const flux = '.toolkit.fluxcd.io';
const kustomizeGroup = `kustomize${flux}`;
const helmGroup = `helm${flux}`;
const trackingId = 'argocd.argoproj.io/tracking-id';
const instanceLabels = ['argocd.argoproj.io/instance', 'app.kubernetes.io/instance'];
const maxHops = 2;

/**
 * Returns the repository and folder from which a subject is delivered, by its labels and annotations.
 * @param objects Kustomizations, HelmReleases and GitRepositories of Flux, and Applications of Argo CD.
 */
export function locateDelivery(subject: Subject, objects: readonly DeliveryObject[]): Delivery | NotLocated {
  return follow(subject, objects, 0);
}

function follow(subject: Subject, objects: readonly DeliveryObject[], hops: number): Delivery | NotLocated {
  const { labels = {}, annotations = {} } = subject;
  const helm = owner(labels, helmGroup);
  if (helm !== undefined) {
    const release = find(objects, helmGroup, 'HelmRelease', helm);
    if (release === undefined) return needed({ kind: 'HelmRelease', ...helm });
    if (hops >= maxHops) return notFound('HelmReleases deliver one another');
    const found = follow(subjectOf(release), objects, hops + 1);
    return found.type === 'found' ? { ...found, isHelm: true } : found;
  }
  const kustomization = owner(labels, kustomizeGroup);
  if (kustomization !== undefined) return byKustomization(subject, kustomization, objects);
  const tracked = annotations[trackingId];
  if (tracked !== undefined) return byTrackingId(subject, tracked, objects);
  return byInstance(subject, labels, objects);
}

interface Key {
  namespace: string;
  name: string;
}

function owner(labels: Readonly<Record<string, string>>, group: string): Key | undefined {
  const [name, namespace] = [labels[`${group}/name`], labels[`${group}/namespace`]];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

function find(
  objects: readonly DeliveryObject[],
  group: string,
  kind: string,
  key: Key,
): DeliveryObject | undefined {
  return objects.find(
    ({ apiVersion, kind: own, metadata }) =>
      apiVersion.startsWith(`${group}/`) &&
      own === kind &&
      metadata.name === key.name &&
      metadata.namespace === key.namespace,
  );
}

function subjectOf({ apiVersion, kind, metadata }: DeliveryObject): Subject {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, name, namespace, labels, annotations };
}

function byKustomization(
  subject: Subject,
  key: Key,
  objects: readonly DeliveryObject[],
): Delivery | NotLocated {
  const by = `Kustomization ${key.namespace}/${key.name}`;
  const object = find(objects, kustomizeGroup, 'Kustomization', key);
  if (object === undefined) return needed({ kind: 'Kustomization', ...key });
  const spec = fieldsOf(object.spec);
  const ref = fieldsOf(spec['sourceRef']);
  const source = { name: textOf(ref, 'name') ?? '', namespace: textOf(ref, 'namespace') ?? key.namespace };
  if (ref['kind'] !== 'GitRepository')
    return notFound(`${by} is delivered from a ${textOf(ref, 'kind') ?? 'source'}, not from a GitRepository`);
  const repository = find(objects, `source${flux}`, 'GitRepository', source);
  if (repository === undefined) return needed({ kind: 'GitRepository', ...source });
  const git = fieldsOf(repository.spec);
  const refSpec = fieldsOf(git['ref']);
  return delivery(subject, by, textOf(git, 'url'), textOf(spec, 'path') ?? '', {
    revision: textOf(refSpec, 'branch') ?? textOf(refSpec, 'tag') ?? textOf(refSpec, 'commit'),
    recurse: true,
    transform: {
      prefix: textOf(spec, 'namePrefix') ?? '',
      suffix: textOf(spec, 'nameSuffix') ?? '',
      namespace: textOf(spec, 'targetNamespace'),
    },
  });
}

/**
 * Parses `application:group/Kind:namespace/name`, where names of RBAC objects may have colons. Like Argo CD, this
 * ignores an ID that was copied from another object.
 */
function byTrackingId(
  subject: Subject,
  id: string,
  objects: readonly DeliveryObject[],
): Delivery | NotLocated {
  const [application = '', groupKind = '', ...rest] = id.split(':');
  const namespacedName = rest.join(':');
  const [group = ''] = (subject.apiVersion ?? '').includes('/')
    ? (subject.apiVersion ?? '').split('/')
    : [''];
  const isOwn =
    groupKind === `${group}/${subject.kind ?? ''}` &&
    namespacedName.endsWith(`/${subject.name ?? ''}`) &&
    (subject.namespace === undefined || namespacedName.startsWith(`${subject.namespace}/`));
  if (!isOwn) return notFound(`the tracking id ${quoted(id)} belongs to another object`);
  return byApplication(subject, application, objects);
}

function byInstance(
  subject: Subject,
  labels: Readonly<Record<string, string>>,
  objects: readonly DeliveryObject[],
): Delivery | NotLocated {
  const instance = instanceLabels.map((label) => labels[label]).find((value) => value !== undefined);
  if (instance === undefined) return notFound('neither Flux nor Argo CD has marked the subject as its own');
  return byApplication(subject, instance, objects);
}

/** @param name the name of the Application; `namespace_name` if it is not in the namespace of Argo CD. */
function byApplication(
  subject: Subject,
  name: string,
  objects: readonly DeliveryObject[],
): Delivery | NotLocated {
  const applications = objects.filter(
    ({ apiVersion, kind, metadata }) =>
      apiVersion.startsWith('argoproj.io/') &&
      kind === 'Application' &&
      (metadata.name === name || `${metadata.namespace ?? ''}_${metadata.name}` === name),
  );
  const [application, second] = applications;
  if (application === undefined) return needed(applicationRef(name));
  if (second !== undefined) return ambiguous(`there are ${applications.length} Applications ${quoted(name)}`);
  const by = `Application ${application.metadata.namespace ?? ''}/${application.metadata.name}`;
  const spec = fieldsOf(application.spec);
  const several = Array.isArray(spec['sources']) ? spec['sources'] : [];
  const sources = (several.length > 0 ? several : [spec['source']]).map(fieldsOf);
  const withPath = sources.filter((source) => textOf(source, 'path') !== undefined);
  const [source, other] = withPath;
  if (source === undefined) return notFound(`${by} has no source with a path in a Git repository`);
  if (other !== undefined) return ambiguous(`${by} has ${withPath.length} sources with a path`);
  if (isFields(source['helm'])) return notFound(`${by} renders a chart; name the path of its values`);
  const kustomize = fieldsOf(source['kustomize']);
  return delivery(subject, by, textOf(source, 'repoURL'), textOf(source, 'path') ?? '', {
    revision: textOf(source, 'targetRevision'),
    recurse: fieldsOf(source['directory'])['recurse'] === true,
    transform: {
      prefix: textOf(kustomize, 'namePrefix') ?? '',
      suffix: textOf(kustomize, 'nameSuffix') ?? '',
      namespace: textOf(kustomize, 'namespace'),
      defaultNamespace: textOf(fieldsOf(spec['destination']), 'namespace'),
    },
  });
}

function delivery(
  { apiVersion, kind, name, namespace }: Subject,
  by: string,
  url: string | undefined,
  path: string,
  rest: Pick<Delivery, 'revision' | 'recurse' | 'transform'>,
): Delivery | NotLocated {
  const folder = resolvePath('', path.replace(/^\/+/, ''));
  if (url === undefined || folder === undefined)
    return notFound(`${by} does not name a folder of a repository`);
  return {
    type: 'found',
    url,
    folder,
    by,
    object: { apiVersion, kind, name, namespace },
    isHelm: false,
    ...rest,
  };
}

/**
 * Returns the reference to an Application. Where Applications are in several namespaces, `namespace_name` identifies
 * one; names do not contain `_`.
 */
function applicationRef(name: string): DeliveryRef {
  const [namespace, rest] = name.split('_');
  if (namespace === undefined || rest === undefined) return { kind: 'Application', name };
  return { kind: 'Application', namespace, name: rest };
}

function needed(ref: DeliveryRef): NotLocated {
  const { kind, namespace, name } = ref;
  const reason = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} does not exist`;
  return { type: 'notFound', reason, needs: ref };
}

function notFound(reason: string): NotLocated {
  return { type: 'notFound', reason };
}

function ambiguous(reason: string): NotLocated {
  return { type: 'ambiguous', reason };
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function textOf(fields: Fields, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
