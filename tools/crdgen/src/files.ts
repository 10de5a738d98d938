import { customKinds } from '@interlock/api';
import { stringify } from 'yaml';
import { customResourceDefinition } from './crd.js';
import { apiReference } from './reference.js';

export const crdFolder = 'charts/interlock-crds/crds';

/** Returns the files that `crdgen:generate` writes: path below the workspace root → content. */
export function generatedFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const kind of customKinds) {
    const yaml = stringify(customResourceDefinition(kind), {
      lineWidth: 0,
      aliasDuplicateObjects: false,
      // kubectl and Helm read YAML 1.1, in which the plain word Off is a boolean.
      compat: 'yaml-1.1',
    });
    files.set(`${crdFolder}/${kind.group}_${kind.plural}.yaml`, yaml);
  }
  files.set('docs/api-reference.md', apiReference(customKinds));
  return files;
}
