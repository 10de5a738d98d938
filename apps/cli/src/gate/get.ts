import { apiVersionOf, isTyped, type KubeObject } from '@interlock/api';
import { Failure, usage } from '../exit.js';
import { dataText, print } from '../output/print.js';
import { tableText } from '../output/table.js';
import { loadAll } from './load.js';
import type { Session } from './session.js';
import { viewNamed, viewNames, views, type View } from './views.js';

export interface GetOptions {
  allNamespaces?: boolean;
  labelSelector?: string;
  watch?: boolean;
  header: boolean;
}

/** `get KIND [NAME]`. */
export async function get(
  session: Session,
  kind: string,
  name: string | undefined,
  options: GetOptions,
): Promise<void> {
  const found = viewNamed(kind);
  if (found === undefined) throw usage(`unknown kind ${kind}; write one of ${viewNames.join(', ')}`);
  await list(session, views[found], name, options);
}

async function list(
  session: Session,
  view: View,
  name: string | undefined,
  options: GetOptions,
): Promise<void> {
  const { io, format } = session;
  const scope = {
    ...(options.allNamespaces !== true && { namespace: session.namespace }),
    ...(options.labelSelector !== undefined && { labelSelector: options.labelSelector }),
  };
  const objects =
    name === undefined ? await loadAll(session, view.kind, scope) : [await one(session, view, name)];
  const rows = rowsOf(view, objects, io.now(), options);
  if (options.watch !== true && rows.length === 0 && format === 'table') {
    const where = options.allNamespaces === true ? 'any namespace' : `${session.namespace} namespace`;
    io.stderr(`✗ no ${view.kind.kind} objects found in ${where}\n`);
    return;
  }
  const [single] = objects;
  const data =
    name !== undefined && single !== undefined
      ? view.data(single)[0]
      : { apiVersion: 'v1', kind: 'List', items: objects.flatMap((object) => view.data(object)) };
  print(io, format, data, { headers: headersOf(view, options), rows }, options);
  if (options.watch === true) await watch(session, view, name, scope, options);
}

async function one(
  { client, namespace, signal }: Session,
  { kind }: View,
  name: string,
): Promise<KubeObject> {
  try {
    return await client.get(kind, { namespace, name }, { signal });
  } catch (error) {
    if (isTyped(error, 'NotFound'))
      throw new Failure(`${kind.kind} ${name} not found in ${namespace} namespace (${apiVersionOf(kind)})`);
    throw error;
  }
}

function headersOf(view: View, options: GetOptions): string[] {
  return [...(options.allNamespaces === true ? ['NAMESPACE'] : []), ...view.headers];
}

function rowsOf(view: View, objects: readonly KubeObject[], now: number, options: GetOptions): string[][] {
  return objects.flatMap((object) =>
    view
      .rows(object, now)
      .map((row) => [...(options.allNamespaces === true ? [object.metadata.namespace ?? ''] : []), ...row]),
  );
}

/** Prints each object again that changes, until Ctrl-C: `--timeout` is about the list before. */
async function watch(
  { client, io, format }: Session,
  view: View,
  name: string | undefined,
  scope: { namespace?: string; labelSelector?: string },
  options: GetOptions,
): Promise<void> {
  const { signal } = io;
  const fieldSelector = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  try {
    let { resourceVersion } = await client.list(view.kind, { ...scope, ...fieldSelector, signal });
    while (!signal.aborted) {
      for await (const event of client.watch(view.kind, {
        ...scope,
        ...fieldSelector,
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
        else for (const item of view.data(object)) io.stdout(dataText(item, format));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
