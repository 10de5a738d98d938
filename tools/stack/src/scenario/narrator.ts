import type { PromotionStrategy, PullRequest } from '@interlock/api';
import type { Cache } from '@interlock/kube';

export type Print = (line: string) => void;

/** Prints one line for each step of each environment when it happens. Returns a function that stops the output. */
export function narrate(
  print: Print,
  pullRequests: Cache<PullRequest>,
  strategies: Cache<PromotionStrategy>,
  name: string,
): () => void {
  const printed = { environment: new Map<string, string>(), pullRequest: new Map<string, string>() };
  const width = Math.max(
    ...strategies.list().flatMap(({ spec }) => spec.environments.map(({ branch }) => branch.length)),
    8,
  );
  const printChange = (about: keyof typeof printed, name: string, branch: string, text: string): void => {
    if (printed[about].get(name) === text) return;
    printed[about].set(name, text);
    print(`  ${branch.padEnd(width)}  ${text}`);
  };
  const stop = [
    pullRequests.subscribe((event) => {
      if (event.type === 'deleted') return;
      const { metadata, spec, status } = event.object;
      const text = pullRequestLine(event.object);
      if (status?.state === undefined || text === undefined) return;
      printChange('pullRequest', metadata.name, spec.targetBranch, text);
    }),
    strategies.subscribe((event) => {
      if (event.type === 'deleted' || event.object.metadata.name !== name) return;
      for (const { branch, active, checks = [] } of event.object.status?.environments ?? []) {
        const waiting = checks.find((check) => check.state !== 'success');
        if (active?.commitStatus === 'failure') {
          printChange('environment', branch, branch, `fails with ${short(active.drySHA)}`);
        } else if (waiting !== undefined)
          printChange('environment', branch, branch, `waits: ${waiting.message}`);
        else if (checks.length === 0 && active?.commitStatus === 'healthy') {
          printChange('environment', branch, branch, `runs ${short(active.drySHA)} and is healthy`);
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
  return sha?.slice(0, 7) ?? 'an unknown commit';
}
