import { CommitStatus, labels, type CommitStatusPhase } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { argoKinds, installForeignKinds } from '@interlock/stack';
import type { Team } from './team.js';
import type { Fixture } from './fixture.js';

const { Application } = argoKinds;
const fieldManager = 'argocd';

/** Installs the definition of Applications with the fields that the tests use. */
export function installArgoCD({ platform: { client } }: Fixture): Promise<void> {
  return installForeignKinds(client, [Application]);
}

export interface Deployed {
  branch: string;
  /** The commit of the branch that runs. */
  revision: string;
  health: 'Healthy' | 'Degraded';
}

/** Writes an Application of a team with the status that Argo CD would report. */
export async function deploy(
  { platform: { client } }: Fixture,
  { name: namespace, repository }: Team,
  name: string,
  { branch, revision, health }: Deployed,
): Promise<void> {
  const application = {
    metadata: { name, namespace, labels: { app: 'shop' } },
    spec: { source: { repoURL: repository.cloneUrl, targetRevision: branch } },
    status: { health: { status: health }, sync: { status: 'Synced', revision } },
  };
  await client.apply(Application, application, { fieldManager });
}

/**
 * Waits until the CommitStatus with a key for a commit has a phase in the cluster and at the forge. @returns its
 * description
 */
export async function reported(
  fixture: Fixture,
  { name: namespace, repository }: Team,
  key: string,
  sha: string,
  phase: CommitStatusPhase,
  timeoutMs: number,
): Promise<string> {
  return eventually(async () => {
    const labelSelector = `${labels.commitStatusKey}=${key}`;
    const { items } = await fixture.platform.client.list(CommitStatus, { namespace, labelSelector });
    const said = items.find(({ spec }) => spec.sha === sha);
    if (said?.spec.phase !== phase) throw new Error(`${key} of ${sha} is ${said?.spec.phase ?? 'not there'}`);
    const runs = await fixture.forgeApi.checkRuns(repository.fullName, sha);
    const newestFirst = runs.sort((a, b) => b.id - a.id);
    const shown = newestFirst.find(({ name }) => name === said.spec.name);
    if ((shown?.conclusion ?? shown?.status) !== phase) throw new Error(`the forge shows ${shown?.status}`);
    return said.spec.description ?? '';
  }, timeoutMs);
}
