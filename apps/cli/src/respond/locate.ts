import {
  fluxResources,
  type EventResponse,
  type Kind,
  type ResponseProvider,
  type SecurityEvent,
} from '@interlock/api';
import {
  isRepository,
  locateDelivery,
  locateDocument,
  withLocation,
  type Delivery,
  type DeliveryObject,
  type DeliveryRef,
  type DocumentLocation,
  type NotLocated,
  type Operation,
  type Subject,
} from '@interlock/responding';
import type { Objects } from '../manifest/objects.js';
import type { Checkout } from './checkout.js';

const application: Kind = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
};
const publicHosts: Readonly<Record<string, string>> = {
  'github-app': 'github.com',
  'github-pat': 'github.com',
  gitlab: 'gitlab.com',
};
const maxObjects = 8;
const maxRounds = 8;

export interface Located {
  operations: readonly Operation[];
  /** Where the file is, or what is known of it. */
  location?: string;
  /** Why it cannot be found. */
  refused?: string;
}

/**
 * Finds the file of the subject: which folder of which repository delivers it, by Flux and Argo CD; and in a checkout
 * of that repository the document.
 */
export async function locate(
  operations: readonly Operation[],
  response: EventResponse,
  event: SecurityEvent | undefined,
  { kind, host = publicHosts[kind], repository }: ResponseProvider,
  objects: Objects,
  checkout: Checkout | undefined,
): Promise<Located> {
  const lost = (reason: string): Located => ({
    operations,
    refused: `the file of the subject is not found: ${reason}; name its path in the operation`,
  });
  const delivery = await findDelivery(event?.spec.subject ?? response.spec.action.targetRef ?? {}, objects);
  if (delivery.type !== 'found')
    return objects.isOffline && delivery.needs !== undefined
      ? { operations, location: `not known: ${delivery.reason}, in the files` }
      : lost(delivery.reason);
  if (host !== undefined && !isRepository(delivery.url, host, repository))
    return {
      operations,
      refused: `${delivery.by} is delivered from ${delivery.url}, but the route leads to ${repository} of ${host}; name the path, or route the response there`,
    };
  const folder = delivery.folder === '' ? 'the root' : delivery.folder;
  if (checkout === undefined)
    return {
      operations,
      location: `to be looked for below ${folder}, from where ${delivery.by} is delivered`,
    };
  const found = await findDocument(delivery, checkout);
  if (found.type !== 'found') return lost(found.reason);
  return {
    operations: withLocation(operations, found, delivery.isHelm),
    location: `${found.path}, by ${delivery.by}`,
  };
}

/** What the event does not say of its subject, the object itself may. */
async function findDelivery(detected: Subject, objects: Objects): Promise<Delivery | NotLocated> {
  const known: DeliveryObject[] = [];
  let subject = detected;
  let isLive = false;
  for (;;) {
    const found = locateDelivery(subject, known);
    if (found.type === 'found') return found;
    const next = found.needs && known.length < maxObjects ? await fetch(objects, found.needs) : [];
    if (next.length > 0) known.push(...next);
    else if (isLive) return found;
    else {
      isLive = true;
      subject = await liveSubject(objects, detected);
    }
  }
}

async function fetch(objects: Objects, { kind, namespace, name }: DeliveryRef): Promise<DeliveryObject[]> {
  if (kind === 'Application') {
    const applications = await objects.all(application, namespace);
    return applications.filter(({ metadata }) => metadata.name === name);
  }
  const key = { name, ...(namespace !== undefined && { namespace }) };
  const found = await objects.one(fluxResources[kind], key);
  return found === undefined ? [] : [found];
}

async function liveSubject(objects: Objects, subject: Subject): Promise<Subject> {
  const { apiVersion, kind, name, namespace } = subject;
  if (apiVersion === undefined || kind === undefined || name === undefined || name === '') return subject;
  const reference = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
  const live = await objects.any(reference);
  if (live === undefined) return subject;
  const { labels, annotations } = live.metadata;
  return { apiVersion, kind, name, namespace, labels, annotations };
}

/** Kustomizations may name what is outside of their folder, which then is read, too. */
async function findDocument(delivery: Delivery, checkout: Checkout): Promise<DocumentLocation> {
  const files = new Map<string, string>();
  let paths: readonly string[] = [delivery.folder];
  for (let round = 0; round < maxRounds; round += 1) {
    for (const path of paths) for (const [name, text] of await below(checkout, path)) files.set(name, text);
    const found = locateDocument(delivery, files);
    if (found.type === 'found' || found.missing === undefined) return found;
    paths = found.missing;
  }
  return { type: 'notFound', reason: `kustomizations lead over more than ${maxRounds} folders` };
}

/** @returns the manifests below a folder, or the file. */
async function below(checkout: Checkout, path: string): Promise<ReadonlyMap<string, string>> {
  const manifests = await checkout.manifests(path);
  if (manifests.size > 0 || !/\.(ya?ml|json)$/i.test(path)) return manifests;
  const state = await checkout.read(path, false);
  return new Map(state === undefined || state.symbolicLink === true ? [] : [[path, state.text]]);
}
