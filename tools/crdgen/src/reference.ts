import { apiVersionOf, kubernetesTypeKey, type CustomKind } from '@interlock/api';
import { structuralSchema, type StructuralSchema } from './structural.js';

const preface = `# API reference

Generated from the schemas in \`libs/api\`. Every kind also has the standard \`metadata\`.
`;

/** Returns the reference of all kinds in Markdown, with a table of fields for each kind. */
export function apiReference(kinds: readonly CustomKind[]): string {
  return [preface, ...kinds.map(kindSection)].join('\n');
}

function kindSection(kind: CustomKind): string {
  const rows = [
    ...fieldRows(structuralSchema(kind.spec, 'spec'), 'spec'),
    ...fieldRows(structuralSchema(kind.status, 'status'), 'status'),
  ];
  return [
    `## ${kind.kind}`,
    '',
    `\`${apiVersionOf(kind)}\`, ${kind.namespaced ? 'namespaced' : 'cluster-scoped'}. ${kind.description}`,
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function fieldRows(schema: StructuralSchema, path: string): string[] {
  // Kubernetes documents its own types.
  if (schema[kubernetesTypeKey] !== undefined) return [];
  const properties = (schema['properties'] ?? {}) as Record<string, StructuralSchema>;
  const required = new Set((schema['required'] ?? []) as string[]);
  return Object.entries(properties).flatMap(([name, child]) => {
    const here = `${path}.${name}`;
    const row = `| \`${here}\` | ${typeOf(child)}${required.has(name) ? ', required' : ''} | ${meaning(child)} |`;
    const items = child['items'] as StructuralSchema | undefined;
    return [row, ...fieldRows(child, here), ...(items ? fieldRows(items, `${here}[]`) : [])];
  });
}

function typeOf(schema: StructuralSchema): string {
  const embedded = schema[kubernetesTypeKey];
  if (embedded !== undefined) return `\`${String(embedded)}\` of Kubernetes`;
  const items = schema['items'] as StructuralSchema | undefined;
  if (items) return `list of ${typeOf(items)}`;
  const values = schema['enum'] as string[] | undefined;
  return values ? values.map((value) => `\`${value}\``).join(' ') : String(schema['type']);
}

function meaning(schema: StructuralSchema): string {
  const text = String(schema['description'] ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('{{', '&#123;&#123;');
  const fallback = schema['default'];
  return fallback === undefined ? text : `${text} Default \`${JSON.stringify(fallback)}\`.`;
}
