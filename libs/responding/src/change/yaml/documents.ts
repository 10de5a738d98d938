import { isObject, type JsonObject } from '../json.js';
import type { DocumentSelector, Json } from '../operation.js';
import { hasContent, valueOf, type YamlDocument, type YamlSource } from './source.js';

/** The identity of a Kubernetes object; fields that a document does not set are absent. */
export type Identity = DocumentSelector;

/** Returns the identity of a document. */
export function identityOf(value: Json): Identity {
  if (!isObject(value)) return {};
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  return {
    apiVersion: textOf(value, 'apiVersion'),
    kind: textOf(value, 'kind'),
    name: textOf(metadata, 'name'),
    namespace: textOf(metadata, 'namespace'),
  };
}

function textOf(value: JsonObject, key: string): string | undefined {
  const text = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Returns whether an identity matches all fields of a selector. */
export function isSelected(identity: Identity, select: DocumentSelector): boolean {
  return (['apiVersion', 'kind', 'name', 'namespace'] as const).every(
    (key) => select[key] === undefined || select[key] === identity[key],
  );
}

/** Returns an identity for messages, such as `ClusterRoleBinding admin in namespace x`. */
export function identityText({ apiVersion, kind, name, namespace }: Identity): string {
  const what = [kind ?? 'object', name].filter((part) => part !== undefined).join(' ');
  return `${what}${namespace === undefined ? '' : ` in namespace ${namespace}`}${apiVersion === undefined ? '' : ` (${apiVersion})`}`;
}

/** A document of a file with content. */
export interface FoundDocument {
  /** Index in {@link YamlSource.documents}. */
  index: number;
  document: YamlDocument;
  value: Json;
}

/** Returns the documents of a file with content. */
export function findDocuments(path: string, source: YamlSource): FoundDocument[] {
  return source.documents.flatMap((document, index) =>
    hasContent(source, document) ? [{ document, index, value: valueOf(path, document) }] : [],
  );
}

/**
 * Returns the text of a file without one of its documents. Comments before the first `---`, and the other documents, keep
 * their bytes. Undefined when no content is left.
 */
export function withoutDocument(
  source: YamlSource,
  { document, index }: Pick<FoundDocument, 'document' | 'index'>,
): string | undefined {
  const { text, documents } = source;
  if (!documents.some((other, at) => at !== index && hasContent(source, other))) return undefined;
  const next = documents[index + 1];
  const start = index === 0 ? (document.contents?.range[0] ?? 0) : document.range[0];
  const from = index === 0 && text.startsWith('---', document.range[0]) ? document.range[0] : start;
  return text.slice(0, from) + (next === undefined ? '' : text.slice(next.range[0]));
}
