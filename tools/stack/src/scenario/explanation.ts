import type { FleetMode } from '../fleet/fleet.js';
import type { Stack } from '../stack.js';

/** Returns a description of the running scenario, with commands to try. */
export function explanation(stack: Stack, mode: FleetMode): string {
  const { cluster, fleet, forge, repository, visitor, kubeconfig, strategy } = stack;
  const kubectl = kubeconfig.context === undefined ? 'kubectl' : `kubectl --context ${kubeconfig.context}`;
  return `
Running:
  Kubernetes API  ${cluster.url}
  forge           ${repository.htmlUrl}
  gates           ${fleet.gatesUrl ?? ''}/v1/gates/<namespace>/<name>
Try:
  export KUBECONFIG=${kubeconfig.path}
  ${kubectl} get promotionstrategies,proposedcommits,pullrequests,revertcommits,commitstatuses,eventresponses -A
  ${kubectl} explain promotionstrategy.spec.environments
  ${kubectl} -n ${strategy.namespace ?? ''} get promotionstrategy ${strategy.name} -o yaml${mode === 'processes' ? '' : podCommands(kubectl, cluster)}
Change something, as the user ${visitor.login} of the forge:
  git clone ${cloneUrlFor(visitor, repository.cloneUrl)}
  export PULLS=${forge.apiUrl}/repos/${repository.fullName}/pulls
  curl -H 'Authorization: Bearer ${visitor.token}' "$PULLS?state=all"
  curl -H 'Authorization: Bearer ${visitor.token}' -X PATCH -d '{"state":"closed"}' $PULLS/1
  curl -H 'Authorization: Bearer ${visitor.token}' -X PUT $PULLS/1/merge
`;
}

/** Returns the clone URL for a user of the forge, with the token of the user. */
function cloneUrlFor({ login, token }: Stack['visitor'], cloneUrl: string): string {
  const url = new URL(cloneUrl);
  url.username = login;
  url.password = token;
  return url.href;
}

/** Returns commands for the pods of the apps, one per line. */
function podCommands(kubectl: string, { namespaces: { system } }: Stack['cluster']): string {
  return ['get deployments,pods', 'logs deploy/promoter --tail 20']
    .map((command) => `\n  ${kubectl} -n ${system} ${command}`)
    .join('');
}
