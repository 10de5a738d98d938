import type { Kind } from '@interlock/api';
import { CustomResourceDefinition, type Client } from '@interlock/kube';
import { Application } from '../../src/argocd/application.js';
import { FluxGitRepository, HelmRelease, Kustomization } from '../../src/flux/objects.js';

export const argoKinds: readonly Kind[] = [Application];
export const fluxKinds: readonly Kind[] = [Kustomization, HelmRelease, FluxGitRepository];

const freeForm = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/* As the projects define them: Argo CD has no status subresource. */
function definition({ group, version, kind, plural }: Kind) {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(group !== Application.group && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: freeForm, status: freeForm } } },
        },
      ],
    },
  };
}

/** Defines kinds of Argo CD and Flux, as far as they are needed here. */
export async function installKinds(client: Client, kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) {
    await client.apply(CustomResourceDefinition, definition(kind), { fieldManager: 'test' });
  }
}

export async function removeKinds(client: Client, kinds: readonly Kind[]): Promise<void> {
  for (const { plural, group } of kinds) {
    await client.delete(CustomResourceDefinition, { name: `${plural}.${group}` });
  }
}
