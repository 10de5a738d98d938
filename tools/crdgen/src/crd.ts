import type { CustomKind, PrintColumn } from '@interlock/api';
import { withKubernetesTypes } from './kubernetes/embed.js';
import { structuralSchema } from './structural.js';

/** Returns the CustomResourceDefinition (apiextensions.k8s.io/v1) of a kind. */
export function customResourceDefinition(kind: CustomKind): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
        categories: kind.categories,
      },
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          additionalPrinterColumns: kind.printColumns.map(printColumn),
          subresources: { status: {} },
          schema: { openAPIV3Schema: rootSchema(kind) },
        },
      ],
    },
  };
}

function printColumn({ name, type, jsonPath, description, priority }: PrintColumn): object {
  return {
    name,
    type,
    jsonPath,
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
  };
}

function rootSchema(kind: CustomKind): object {
  return {
    description: kind.description,
    type: 'object',
    required: ['spec'],
    ...(kind.rules.length > 0 && { 'x-kubernetes-validations': kind.rules }),
    properties: {
      apiVersion: {
        type: 'string',
        description:
          'Version of the schema of this representation. More: https://kubernetes.io/docs/reference/using-api/',
      },
      kind: { type: 'string', description: 'Name of the REST resource that this object represents.' },
      metadata: { type: 'object' },
      spec: {
        description: `Desired state of the object.`,
        ...withKubernetesTypes(structuralSchema(kind.spec, `${kind.kind}.spec`)),
      },
      status: {
        description: `Observed state of the object.`,
        ...structuralSchema(kind.status, `${kind.kind}.status`),
      },
    },
  };
}
