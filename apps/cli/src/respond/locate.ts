import {
  argoApplication,
  fluxResources,
  type EventResponse,
  type ResponseProvider,
  type SecurityEvent,
} from '@interlock/api';
import { Problem, type OrProblem } from '@interlock/base';
import {
  hostOf,
  isRepository,
  searchDelivery,
  searchDocument,
  withLocation,
  type DeliveryObject,
  type DeliveryRef,
  type Operation,
  type Subject,
} from '@interlock/responding';
import type { Objects } from '../manifest/objects.js';
import type { Checkout } from './checkout.js';

export interface Located {
  operations: readonly Operation[];
  /** The location of the file, as far as it is known. */
  location?: string;
}

/**
 * Finds the file of the subject: the folder and repository that deliver it according to Flux and Argo CD and, in a
 * checkout of that repository, also the document. Returns a problem that states why the file cannot be found.
 */
export async function locate(
  operations: readonly Operation[],
  response: EventResponse,
  event: SecurityEvent | undefined,
  provider: ResponseProvider,
  objects: Objects,
  checkout: Checkout | undefined,
): Promise<OrProblem<Located>> {
  const { repository } = provider;
  const host = hostOf(provider);
  const lost = (reason: string) =>
    new Problem(
      'NotLocated',
      `the file of the subject was not found: ${reason}; name its path in the operation`,
    );
  const delivery = await searchDelivery(event?.spec.subject ?? response.spec.action.targetRef ?? {}, {
    fetch: (ref) => fetch(objects, ref),
    live: (subject) => liveSubject(objects, subject),
  });
  if (delivery.type !== 'found')
    return objects.isOffline && delivery.needs !== undefined
      ? { operations, location: `not known from the files: ${delivery.reason}` }
      : lost(delivery.reason);
  if (host !== undefined && !isRepository(delivery.url, host, repository))
    return new Problem(
      'OtherRepository',
      `${delivery.by} is delivered from ${delivery.url}, but the route points to ${repository} of ${host}; name the path, or route the response to the repository of the source`,
    );
  const folder = delivery.folder === '' ? 'the root' : delivery.folder;
  if (checkout === undefined)
    return {
      operations,
      location: `to be found below ${folder}, from which ${delivery.by} is delivered`,
    };
  const found = await searchDocument(delivery, (path) => below(checkout, path));
  if (found.type !== 'found') return lost(found.reason);
  return {
    operations: withLocation(operations, found, delivery.isHelm),
    location: `${found.path}, by ${delivery.by}`,
  };
}

async function fetch(objects: Objects, { kind, namespace, name }: DeliveryRef): Promise<DeliveryObject[]> {
  if (kind === 'Application') {
    const applications = await objects.all(argoApplication, namespace);
    return applications.filter(({ metadata }) => metadata.name === name);
  }
  const key = { name, namespace };
  const found = await objects.one(fluxResources[kind], key);
  return found === undefined ? [] : [found];
}

async function liveSubject(objects: Objects, subject: Subject): Promise<Subject> {
  const { apiVersion, kind, name, namespace } = subject;
  if (apiVersion === undefined || kind === undefined || name === undefined || name === '') return subject;
  const reference = { apiVersion, kind, name, namespace };
  const live = await objects.any(reference);
  if (live === undefined) return subject;
  const { labels, annotations } = live.metadata;
  return { apiVersion, kind, name, namespace, labels, annotations };
}

/** Returns the manifests below a folder, or the file. */
async function below(checkout: Checkout, path: string): Promise<ReadonlyMap<string, string>> {
  const manifests = await checkout.manifests(path);
  if (manifests.size > 0 || !/\.(ya?ml|json)$/i.test(path)) return manifests;
  const state = await checkout.read(path, false);
  return new Map(state === undefined || state.symbolicLink === true ? [] : [[path, state.text]]);
}
