import { messageOf, type CustomKind, type KubeObject } from '@interlock/api';

/** A problem with a field of a manifest. */
interface Issue {
  field: string;
  message: string;
}

/**
 * Returns the object with the defaults of its schema, as the cluster sets them, or the problems that the schema finds.
 */
export function parseManifest<T extends KubeObject>(
  kind: CustomKind<T>,
  manifest: Partial<KubeObject> & { spec?: unknown },
): { object: T } | { issues: Issue[] } {
  try {
    const result = kind.spec.safeParse(manifest.spec ?? {});
    if (result.success) {
      const unknown = unknownFields(manifest.spec, result.data, 'spec');
      if (unknown.length === 0) return { object: { ...manifest, spec: result.data } as KubeObject as T };
      return {
        issues: unknown.map((field) => ({
          field,
          message: 'this field does not exist; correct its name, or remove it',
        })),
      };
    }
    return {
      issues: result.error.issues.map(({ path, message }) => ({
        field: path.reduce<string>(
          (field, part) => (typeof part === 'number' ? `${field}[${part}]` : `${field}.${String(part)}`),
          'spec',
        ),
        message,
      })),
    };
  } catch (error) {
    return { issues: [{ field: 'spec', message: messageOf(error) }] };
  }
}

/** Returns the paths of the fields that the schema dropped. */
function unknownFields(given: unknown, kept: unknown, path: string): string[] {
  if (Array.isArray(given) && Array.isArray(kept))
    return given.flatMap((item, index) => unknownFields(item, kept[index], `${path}[${index}]`));
  if (!isRecord(given) || !isRecord(kept)) return [];
  return Object.entries(given).flatMap(([key, value]) =>
    key in kept ? unknownFields(value, kept[key], `${path}.${key}`) : [`${path}.${key}`],
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
