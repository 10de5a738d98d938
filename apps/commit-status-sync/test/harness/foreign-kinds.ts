import type { Kind } from '@interlock/api';
import { Application } from '../../src/argocd/application.js';
import { FluxGitRepository, HelmRelease, Kustomization } from '../../src/flux/objects.js';

/** The kinds of other projects that commit-status-sync reads. */
export const argoKinds: readonly Kind[] = [Application];
export const fluxKinds: readonly Kind[] = [Kustomization, HelmRelease, FluxGitRepository];
