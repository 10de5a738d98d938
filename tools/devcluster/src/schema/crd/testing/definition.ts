import type { JsonObject, Schema } from '../../types.js';
import { cloneJson } from '../../json.js';

/** Returns a CustomResourceDefinition whose resources have a `spec` with this schema. */
export function definitionOf(spec: Schema): JsonObject {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: cloneJson(JSON.parse(JSON.stringify(spec)) as JsonObject) },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.test.dev' },
    spec: {
      group: 'test.dev',
      scope: 'Namespaced',
      names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
