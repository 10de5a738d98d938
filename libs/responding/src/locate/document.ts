import { isTyped } from '@interlock/api';
import type { DocumentSelector } from '../change/operation.js';
import { identityOf, identityText, type Identity } from '../change/yaml/documents.js';
import { objectsOf } from '../change/yaml/objects.js';
import { parseYaml } from '../change/yaml/source.js';
import { quoted } from '../problem.js';
import type { Delivery, NotLocated, Transform } from './delivery.js';
import { usedFiles, type Files } from './kustomize.js';

/** The document of an object. */
export interface LocatedDocument {
  type: 'found';
  path: string;
  /** Selects the document among the documents of the file. */
  select: DocumentSelector;
}

export type DocumentLocation = LocatedDocument | (NotLocated & { missing?: string[] });

/* kustomize does not change the names of these kinds. */
const fixedNames = new Set(['Namespace', 'CustomResourceDefinition', 'APIService']);
/* These kinds are cluster-scoped, so kustomize does not set a namespace. */
const clusterScoped =
  /^(Namespace|CustomResourceDefinition|APIService|Node|PersistentVolume|ClusterRole(Binding)?|.*WebhookConfiguration|PriorityClass|StorageClass|ValidatingAdmissionPolicy(Binding)?)$/;

/**
 * Returns the file and document of an object. Files that are not YAML (templates, for example) are skipped; `missing` lists
 * paths that kustomizations name outside the given files.
 * @param files all files below `delivery.folder`, and those in `missing` of an earlier result that exist.
 */
export function locateDocument(delivery: Delivery, files: Files): DocumentLocation {
  const { object, folder, recurse, transform, by } = delivery;
  const used = usedFiles(files, folder, recurse, transform);
  const places = new Map<string, LocatedDocument>();
  const objects = new Map<string, readonly NamedObject[]>();
  for (const { path, transform: own } of used.files) {
    const known = objects.get(path) ?? objectsIn(path, files.get(path) ?? '');
    objects.set(path, known);
    for (const { at, identity } of known)
      if (isMeant(identity, own, object))
        places.set(`${path}#${at}`, { type: 'found', path, select: identity });
  }
  const [first, second] = places.values();
  const what = identityText(object);
  if (first === undefined) {
    const reason = `${what} is not in ${quoted(folder === '' ? '.' : folder)}, the folder that ${by} delivers`;
    return { type: 'notFound', reason, ...(used.missing.length > 0 && { missing: used.missing }) };
  }
  if (second === undefined) return first;
  const where = [...new Set([...places.values()].map(({ path }) => quoted(path)))].slice(0, 5).join(', ');
  return { type: 'ambiguous', reason: `${what} is in ${places.size} documents: ${where}; name the path` };
}

interface NamedObject {
  /** The place of the object in its file. */
  at: string;
  identity: Identity;
}

/** Returns the objects of a file; none if it is not YAML. */
function objectsIn(path: string, text: string): NamedObject[] {
  try {
    return objectsOf(path, parseYaml(path, text)).map(({ index, at, value }) => ({
      at: `${index}${at}`,
      identity: identityOf(value),
    }));
  } catch (error) {
    if (isTyped(error, 'Invalid')) return [];
    throw error;
  }
}

/**
 * Returns whether a document is the target object after its transformation. API versions may differ, because the API
 * server returns an object in the requested version.
 */
function isMeant(identity: Identity, transform: Transform, target: Identity): boolean {
  const { kind = '', name = '', namespace } = identity;
  const becomes = fixedNames.has(kind) ? name : transform.prefix + name + transform.suffix;
  if (kind !== target.kind || becomes !== target.name) return false;
  if (target.apiVersion !== undefined && groupOf(identity.apiVersion) !== groupOf(target.apiVersion))
    return false;
  if (target.namespace === undefined || target.namespace === '' || clusterScoped.test(kind)) return true;
  const effective = transform.namespace ?? namespace ?? transform.defaultNamespace;
  return effective === undefined || effective === target.namespace;
}

function groupOf(apiVersion = ''): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
