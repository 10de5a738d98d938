import { quoted } from '../problem.js';
import {
  locateDelivery,
  type Delivery,
  type DeliveryObject,
  type DeliveryRef,
  type NotLocated,
  type Subject,
} from './delivery.js';
import { locateDocument, type DocumentLocation } from './document.js';
import type { Files } from './kustomize.js';

const maxObjects = 8;
const maxRounds = 8;
/**
 * Maximum number of folders and files outside the folder of a delivery: the calls for them use up the rate limit. The
 * kustomization of a cluster may name some hundred apps.
 */
const maxPaths = 500;

/** The sources of objects. */
export interface DeliverySources {
  /** Returns the objects that a reference names; empty if there are none. */
  fetch(ref: DeliveryRef): Promise<readonly DeliveryObject[]>;
  /** Returns the subject as it is in the cluster, with its labels and annotations; undefined when it does not exist. */
  live(subject: Subject): Promise<Subject | undefined>;
}

/**
 * Finds the object that delivers a subject, and its source. Labels and annotations that the event does not record are
 * read from the object itself.
 *
 * @returns the final result of {@link locateDelivery}.
 */
export async function searchDelivery(
  detected: Subject,
  { fetch, live }: DeliverySources,
): Promise<Delivery | NotLocated> {
  const known: DeliveryObject[] = [];
  let subject = detected;
  for (let isLive = false; ;) {
    const found = locateDelivery(subject, known);
    if (found.type === 'found') return found;
    const next = found.needs && known.length < maxObjects ? await fetch(found.needs) : [];
    known.push(...next);
    if (next.length > 0) continue;
    if (isLive) return found;
    isLive = true;
    subject = (await live(detected)) ?? detected;
  }
}

/** Returns the result of {@link locateDocument}. */
type Locate = (delivery: Delivery, files: Files) => DocumentLocation | Promise<DocumentLocation>;

/**
 * Searches for the document of a delivery. Files outside its folder that kustomizations name are read, too.
 *
 * @param below reads the manifests below a folder, or a file: text by path.
 * @param locate may run in another thread.
 */
export async function searchDocument(
  delivery: Delivery,
  below: (path: string) => Promise<ReadonlyMap<string, string>>,
  locate: Locate = locateDocument,
): Promise<DocumentLocation> {
  const files = new Map<string, string>();
  const read = new Set<string>();
  let paths: readonly string[] = [delivery.folder];
  for (let round = 0; round < maxRounds; round += 1) {
    for (const path of paths) {
      read.add(path);
      for (const [name, text] of await below(path)) files.set(name, text);
    }
    const found = await locate(delivery, files);
    if (found.type === 'found' || found.missing === undefined) return found;
    const { reason, missing } = found;
    paths = missing.filter((path) => !read.has(path));
    if (paths.length === 0) {
      const [absent = ''] = missing;
      return {
        type: 'notFound',
        reason: `${reason}, and ${quoted(absent)}, which a kustomization lists, is neither a file nor a folder with a kustomization`,
      };
    }
    if (read.size + paths.length > maxPaths)
      return {
        type: 'notFound',
        reason: `the kustomizations name more than ${maxPaths} paths in other folders`,
      };
  }
  return { type: 'notFound', reason: `the kustomizations span more than ${maxRounds} folders` };
}
