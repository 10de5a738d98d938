import { TypedError, type EventResponse, type SecurityEvent } from '@interlock/api';
import type { Client } from '@interlock/kube';
import {
  isRepository,
  quoted,
  searchDelivery,
  searchDocument,
  type LocatedDocument,
} from '@interlock/responding';
import { inParallel } from '../in-parallel.js';
import type { Planner } from '../planning/planner.js';
import { clusterSources, notLocated } from './delivery-sources.js';
import { textOf, type Snapshot } from './snapshot.js';

const maxManifests = 2_000;
const readsAtOnce = 8;

interface Located {
  document: LocatedDocument;
  isHelm: boolean;
}

interface LocateOptions {
  client: Client;
  response: EventResponse;
  event: SecurityEvent | undefined;
  /** The location of the change. */
  host: string;
  repository: string;
  snapshot: Snapshot;
  planner: Pick<Planner, 'locate'>;
  /** The owner of the work of the planner. */
  tenant: string;
}

/**
 * Finds the document of the subject: by the object that delivers it in the cluster, and by its place in the repository.
 *
 * @throws TypedError `Invalid` with reason `NotLocated`, whose message states why and asks for the path; `OtherRepository`
 *   when the subject is delivered from a repository other than the repository of the route.
 */
export async function locate(options: LocateOptions): Promise<Located> {
  const { host, repository, snapshot, planner, tenant } = options;
  const { client, response, event } = options;
  const subject = event?.spec.subject ?? response.spec.action.targetRef ?? {};
  const delivery = await searchDelivery(subject, clusterSources(client, snapshot.signal));
  if (delivery.type !== 'found') throw notLocated(delivery.reason);
  if (!isRepository(delivery.url, host, repository)) {
    throw new TypedError(
      'Invalid',
      `${delivery.by} is delivered from ${delivery.url}, but the route points to ${repository} of ${host}; name the path, or route the response to the repository of the source`,
      { reason: 'OtherRepository' },
    );
  }
  const document = await searchDocument(
    delivery,
    (path) => readBelow(snapshot, path),
    (given, files) => planner.locate(tenant, given, files),
  );
  if (document.type !== 'found') throw notLocated(document.reason);
  return { document, isHelm: delivery.isHelm };
}

/** Returns the texts of all manifests below a folder, or of a file. */
async function readBelow(snapshot: Snapshot, path: string): Promise<Map<string, string>> {
  const { contents, commit, signal } = snapshot;
  const listed = await contents.listFiles(commit, path, { signal });
  const manifests = listed.filter((entry) => entry.type === 'file' && isManifest(entry.path));
  const paths = listed.length === 0 && path !== '' ? [path] : manifests.map((entry) => entry.path);
  if (paths.length > maxManifests)
    throw notLocated(`there are more than ${maxManifests} manifests in ${quoted(path)}`);
  const read = await inParallel(paths, readsAtOnce, async (one): Promise<[string, string][]> => {
    const file = await snapshot.file(one);
    return file === undefined ? [] : [[one, textOf(one, file.contents, false)]];
  });
  return new Map(read.flat());
}

function isManifest(path: string): boolean {
  return /\.(ya?ml|json)$/i.test(path) || /(^|\/)Kustomization$/.test(path);
}
