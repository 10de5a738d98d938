import { open } from 'node:fs/promises';
import {
  apiVersionOf,
  customKinds,
  messageOf,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { documentProblem } from '@interlock/responding';
import { parseAllDocuments } from 'yaml';
import { Failure } from '../exit.js';
import type { Objects, ObjectReference } from './objects.js';
import { parseManifest } from './parse.js';
import { manifestYaml } from './yaml.js';

const maxBytes = 10_000_000;
const maxDocuments = 1000;

/**
 * Returns the objects in YAML files. Objects of this project get the defaults that the cluster sets.
 *
 * @throws Failure that names the file and the field that its schema refuses
 */
export async function fileObjects(files: readonly string[]): Promise<Objects> {
  const objects: KubeObject[] = [];
  for (const file of files) objects.push(...manifestsIn(file, await textOf(file)));
  const isMeant = (kind: Kind, { apiVersion, kind: own, metadata }: KubeObject, namespace?: string) =>
    own === kind.kind &&
    apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/'))) === kind.group &&
    (namespace === undefined || (metadata.namespace ?? namespace) === namespace);
  return {
    isOffline: true,
    one: <T extends KubeObject>(kind: Kind<T>, { namespace, name }: ObjectKey) =>
      Promise.resolve(
        objects.find(
          (object): object is T => isMeant(kind, object, namespace) && object.metadata.name === name,
        ),
      ),
    all: <T extends KubeObject>(kind: Kind<T>, namespace?: string) =>
      Promise.resolve(
        objects
          .filter((object): object is T => isMeant(kind, object, namespace))
          .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
      ),
    any: ({ apiVersion, kind, namespace, name }: ObjectReference) =>
      Promise.resolve(
        objects.find(
          ({ apiVersion: own, kind: ownKind, metadata }) =>
            own === apiVersion &&
            ownKind === kind &&
            metadata.name === name &&
            (metadata.namespace ?? namespace) === namespace,
        ),
      ),
  };
}

async function textOf(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of handle.createReadStream({ end: maxBytes, autoClose: false }))
        chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      if (bytes.length > maxBytes) throw new Failure(`it is larger than ${maxBytes} bytes`);
      return bytes.toString('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new Failure(`${file}: ${(error as { message: string }).message}`);
  }
}

function manifestsIn(file: string, text: string): KubeObject[] {
  const documents = parseAllDocuments(text, manifestYaml);
  if (documents.length > maxDocuments)
    throw new Failure(`${file}: it has more than ${maxDocuments} documents`);
  return documents.flatMap((document) => {
    const syntax = document.errors[0] ?? documentProblem(document);
    if (syntax !== undefined) throw new Failure(`${file}: ${syntax.message.split('\n')[0] ?? ''}`);
    return manifestsOf(file, valueOf(file, document));
  });
}

function valueOf(file: string, document: { toJS(options: { maxAliasCount: number }): unknown }): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new Failure(`${file}: ${messageOf(error)}`);
  }
}

/** Returns the objects of a document. A list, as `kubectl get -o yaml` prints it, is replaced by its items. */
function manifestsOf(file: string, value: unknown): KubeObject[] {
  if (value === null || value === undefined) return [];
  const manifest = value as Partial<KubeObject> & { items?: unknown };
  if (manifest.kind === 'List' && Array.isArray(manifest.items))
    return manifest.items.flatMap((item) => manifestsOf(file, item));
  const { apiVersion, kind, metadata } = manifest;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata?.name !== 'string')
    throw new Failure(`${file}: a document has no apiVersion, kind or metadata.name`);
  const custom = customKinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (custom === undefined) return [{ ...manifest, apiVersion, kind, metadata }];
  const parsed = parseManifest(custom, manifest);
  if ('object' in parsed) return [parsed.object];
  const [issue] = parsed.issues;
  throw new Failure(`${file}: ${kind}/${metadata.name} ${issue?.field ?? ''}: ${issue?.message ?? ''}`);
}
