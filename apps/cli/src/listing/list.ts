import type { KubeObject } from '@interlock/api';
import { byName, loadOne, notFound } from '../load.js';
import { dataText, print } from '../output/print.js';
import { tableText } from '../output/table.js';
import type { Session } from '../session.js';
import type { View } from './view.js';

interface ListOptions {
  /** Absent for the objects of all namespaces; the table then has a column for the namespace. */
  namespace?: string | undefined;
  /** Name of one object. */
  name?: string | undefined;
  labelSelector?: string | undefined;
  watch?: boolean | undefined;
  header: boolean;
}

/** Prints the objects of a kind; with `watch`, also each object that changes. */
export async function list(session: Session, view: View, options: ListOptions): Promise<void> {
  const { io, format } = session;
  const { objects, resourceVersion } = await load(session, view, options);
  const rows = rowsOf(view, objects, io.now(), options);
  /* An object has several holds, or none. */
  const isSingle = options.name !== undefined && view.isWhole;
  if (options.watch !== true && rows.length === 0 && format === 'table') {
    io.stderr(`✗ no ${view.what} found${placeText(view, options)}\n`);
    return;
  }
  const items = objects.flatMap((object) => view.data(object));
  const data = isSingle ? items[0] : { apiVersion: 'v1', kind: 'List', items };
  print(io, format, data, { headers: headersOf(view, options), rows }, options);
  if (options.watch === true) await watch(session, view, options, resourceVersion);
}

/**
 * Loads the objects. With `watch`, a single object is listed too, because a watch continues from the version of a list.
 */
async function load(
  session: Session,
  { kind }: View,
  options: ListOptions,
): Promise<{ objects: KubeObject[]; resourceVersion: string }> {
  const { name, namespace, watch: isWatched } = options;
  const key = { namespace, name: name ?? '' };
  if (name !== undefined && isWatched !== true)
    return { objects: [await loadOne(session, kind, key)], resourceVersion: '' };
  const { signal } = session;
  const { items, resourceVersion } = await session.client.list(kind, { ...scopeOf(options), signal });
  if (name !== undefined && items.length === 0) throw notFound(kind, key);
  return { objects: byName(items), resourceVersion };
}

function placeText({ kind }: View, { namespace }: ListOptions): string {
  if (!kind.namespaced) return '';
  return namespace === undefined ? ' in any namespace' : ` in ${namespace} namespace`;
}

function scopeOf({ namespace, name, labelSelector }: ListOptions) {
  return {
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
    namespace,
    labelSelector,
  };
}

function isAcross({ kind }: View, { namespace }: ListOptions): boolean {
  return kind.namespaced && namespace === undefined;
}

function headersOf(view: View, options: ListOptions): string[] {
  return [...(isAcross(view, options) ? ['NAMESPACE'] : []), ...view.headers];
}

function rowsOf(view: View, objects: readonly KubeObject[], now: number, options: ListOptions): string[][] {
  return objects.flatMap((object) =>
    view
      .rows(object, now)
      .map((row) => [...(isAcross(view, options) ? [object.metadata.namespace ?? ''] : []), ...row]),
  );
}

/** Prints each object that changes, until Ctrl-C or the end of the reader. `--timeout` applies only to the preceding list. */
async function watch(
  { client, io, format }: Session,
  view: View,
  options: ListOptions,
  from: string,
): Promise<void> {
  const signal = AbortSignal.any([io.signal, ...(io.outputEnd === undefined ? [] : [io.outputEnd])]);
  const separator = format === 'yaml' ? '---\n' : '';
  let resourceVersion = from;
  try {
    while (!signal.aborted) {
      for await (const event of client.watch(view.kind, {
        ...scopeOf(options),
        resourceVersion,
        signal,
      })) {
        if (event.type === 'BOOKMARK') {
          resourceVersion = event.resourceVersion;
          continue;
        }
        const { object } = event;
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        const rows = rowsOf(view, [object], io.now(), options);
        if (format === 'table')
          io.stdout(tableText({ headers: headersOf(view, options), rows }, { header: false }));
        else for (const item of view.data(object)) io.stdout(`${separator}${dataText(item, format)}`);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
