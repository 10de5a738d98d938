import { apiVersionOf, CommitStatus, labels, type CommitStatusPhase } from '@interlock/api';
import type { Client } from '@interlock/kube';
import { repositoryName } from '@interlock/stack';
import type { Scenario, Step } from './crash-run.js';
import { environments, type Template } from './promotion-scenario.js';
import { Team } from './team.js';

interface ReportedStatus {
  namespace: string;
  /** Name of the object, which is also its key. */
  name: string;
  sha: string;
  phase: CommitStatusPhase;
  /** Name at the SCM; default: the name of the object. */
  title?: string;
}

/** Writes a CommitStatus. @returns the object */
export function report(client: Client, status: ReportedStatus): Promise<CommitStatus> {
  const { namespace, name, sha, phase, title = name } = status;
  const configuration = {
    apiVersion: apiVersionOf(CommitStatus),
    kind: CommitStatus.kind,
    metadata: { namespace, name, labels: { [labels.commitStatusKey]: name } },
    spec: { repoRef: { name: repositoryName }, sha, name: title, phase },
  };
  return client.apply(CommitStatus, configuration, { fieldManager: 'reporter' });
}

type Phases = Record<string, CommitStatusPhase>;

function step(sha: string, phases: Phases): Step<Team> {
  return {
    act: async ({ platform: { client } }, { name: namespace }) => {
      const all = Object.entries(phases);
      await Promise.all(all.map(([name, phase]) => report(client, { namespace, name, sha, phase })));
    },
    missing: async ({ platform: { client } }, { name: namespace }) => {
      const { items } = await client.list(CommitStatus, { namespace });
      const behind = items.find(
        ({ metadata, spec, status }) =>
          status?.observedGeneration !== metadata.generation || status?.phase !== spec.phase,
      );
      return behind && `${behind.metadata.name} is not ${behind.spec.phase} at the forge`;
    },
  };
}

/** Returns the scenario with two checks of one commit: one passes, and one passes, runs again and fails. */
export function statusScenario({ path, drySHA: sha }: Template): Scenario<Team> {
  const [first, ...later] = [
    step(sha, { build: 'queued', test: 'success' }),
    step(sha, { build: 'in_progress', test: 'in_progress' }),
    step(sha, { build: 'success', test: 'failure' }),
  ] as const;
  const connected: Step<Team> = {
    ...first,
    act: async (fixture, team) => {
      await team.connect();
      await first.act(fixture, team);
    },
  };
  return {
    app: 'commit-status-sync',
    createTeam: (fixture, name) => Team.create(fixture, { name, template: path, environments }),
    steps: [connected, ...later],
    check: async (fixture, { repository }) => {
      const found = await fixture.view.reports(repository.fullName, sha);
      /* A completed check run does not change, so the second report of the test is a new check run. */
      const wanted = ['build success', 'test failure', 'test success'];
      return found.join() === wanted.join() ? [] : [`the forge shows: ${found.join(', ')}`];
    },
  };
}
