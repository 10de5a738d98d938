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
  subjectOf,
  withLocation,
  type Delivery,
  type DocumentLocation,
  type Operation,
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
const { Kustomization, HelmRelease, GitRepository } = fluxResources;
const publicHosts: Readonly<Record<string, string>> = {
  'github-app': 'github.com',
  'github-pat': 'github.com',
  gitlab: 'gitlab.com',
};
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
  provider: ResponseProvider,
  objects: Objects,
  checkout: Checkout | undefined,
): Promise<Located> {
  const lost = (reason: string): Located => ({ operations, refused: reason });
  const subject = subjectOf(response, event);
  if (subject === undefined) return lost('neither the action nor the event names an object to look for');
  const all = await Promise.all(
    [Kustomization, HelmRelease, GitRepository, application].map((kind) => objects.all(kind)),
  );
  const deliveries = all.flat();
  if (objects.isOffline && deliveries.length === 0)
    return { operations, location: 'no file has the objects of Flux or Argo CD that deliver the subject' };
  const delivery = locateDelivery(subject, deliveries);
  if (delivery.type !== 'found') return lost(delivery.reason);
  const { host = publicHosts[provider.kind], repository } = provider;
  if (host !== undefined && !isRepository(delivery.url, host, repository))
    return lost(`${delivery.by} is delivered from ${delivery.url}, not from ${repository}`);
  const folder = delivery.folder === '' ? 'the root' : delivery.folder;
  if (checkout === undefined)
    return {
      operations,
      location: `to be looked for below ${folder}, from where ${delivery.by} is delivered`,
    };
  const found = await inCheckout(delivery, checkout);
  if (found.type !== 'found') return lost(found.reason);
  return {
    operations: withLocation(operations, found, delivery.isHelm),
    location: `${found.path}, by ${delivery.by}`,
  };
}

/** Kustomizations may name what is outside of their folder, which then is read, too. */
async function inCheckout(delivery: Delivery, checkout: Checkout): Promise<DocumentLocation> {
  const files = await checkout.manifests(delivery.folder);
  const asked = new Set<string>();
  let found = locateDocument(delivery, files);
  for (let round = 0; round < maxRounds && found.type !== 'found'; round += 1) {
    const missing = (found.missing ?? []).filter((path) => !asked.has(path));
    if (missing.length === 0) return found;
    for (const path of missing) {
      asked.add(path);
      for (const [name, text] of await below(checkout, path)) files.set(name, text);
    }
    found = locateDocument(delivery, files);
  }
  return found;
}

async function below(checkout: Checkout, path: string): Promise<ReadonlyMap<string, string>> {
  if (!/\.ya?ml$/.test(path)) return checkout.manifests(path);
  const state = await checkout.read(path);
  return new Map(state === undefined || state.symbolicLink === true ? [] : [[path, state.text]]);
}
