import type { PromotionStrategy, PullRequest } from '@interlock/api';
import type { Cache } from '@interlock/kube';

export type Say = (line: string) => void;

/** Tells what happens, as it happens: one line for each step of each environment. @returns a function that ends it. */
export function narrate(
  say: Say,
  pullRequests: Cache<PullRequest>,
  strategies: Cache<PromotionStrategy>,
  name: string,
): () => void {
  const told = { environment: new Map<string, string>(), pullRequest: new Map<string, string>() };
  const width = Math.max(
    ...strategies.list().flatMap(({ spec }) => spec.environments.map(({ branch }) => branch.length)),
    8,
  );
  const tell = (about: keyof typeof told, name: string, branch: string, text: string): void => {
    if (told[about].get(name) === text) return;
    told[about].set(name, text);
    say(`  ${branch.padEnd(width)}  ${text}`);
  };
  const stop = [
    pullRequests.subscribe((event) => {
      if (event.type === 'deleted') return;
      const { metadata, spec, status } = event.object;
      const text = pullRequestLine(event.object);
      if (status?.state === undefined || text === undefined) return;
      tell('pullRequest', metadata.name, spec.targetBranch, text);
    }),
    strategies.subscribe((event) => {
      if (event.type === 'deleted' || event.object.metadata.name !== name) return;
      for (const { branch, active, checks = [] } of event.object.status?.environments ?? []) {
        const waiting = checks.find((check) => check.state !== 'success');
        if (active?.commitStatus === 'failure') {
          tell('environment', branch, branch, `fails with ${short(active.drySHA)}`);
        } else if (waiting !== undefined) tell('environment', branch, branch, `waits: ${waiting.message}`);
        else if (checks.length === 0 && active?.commitStatus === 'healthy') {
          tell('environment', branch, branch, `runs ${short(active.drySHA)} and is healthy`);
        }
      }
    }),
  ];
  return () => {
    for (const end of stop) end();
  };
}

function pullRequestLine({ spec, status }: PullRequest): string | undefined {
  switch (status?.state) {
    case 'open':
      return `pull request open: ${spec.title}  ${status.url ?? ''}`;
    case 'merged':
      return `merged by ${status.mergedBy ?? 'an unknown user'}: ${status.url ?? ''}`;
    case 'closed':
      return `closed: ${status.url ?? ''}`;
    case undefined:
      return undefined;
  }
}

function short(sha: string | undefined): string {
  return sha?.slice(0, 7) ?? 'nothing known';
}
