import { join } from 'node:path';
import type { TenantsInstallation } from './installation.js';
import { own, rotated, runnerLabels } from './plan.js';

/** Returns a description of the running scenario, with commands to try. @param folder with the manifests of the tenants */
export function explanation({ cluster, service, kubeconfig }: TenantsInstallation, folder: string): string {
  const { namespace, repository } = rotated;
  const kubectl = `kubectl -n ${namespace}`;
  const job = { repository, labels: runnerLabels, jobName: 'mine', durationHint: 5_000 };
  const curl = `curl --cacert ${join(folder, 'github-ca.crt')}`;
  return `
Running:
  Kubernetes API            ${cluster.url}
  GitHub Enterprise Server  ${service.urls.web}
Try:
  export KUBECONFIG=${kubeconfig.path}
  cat ${join(folder, `${namespace}.yaml`)}
  kubectl get actionsgateways -A
  ${kubectl} wait --for=condition=Ready actionsgateway/${own.gateway} --timeout=60s
  ${kubectl} get runnergroups,deployments,pods,networkpolicies
  ${kubectl} describe actionsgateway ${own.gateway}
  ${kubectl} logs deploy/actions-gateway-proxy --tail 5
Queue a job of ${namespace}, watch its pod, and show the results of all jobs:
  export SERVICE=${service.urls.control}
  ${curl} -H 'Content-Type: application/json' -d '${JSON.stringify(job)}' $SERVICE/jobs
  ${kubectl} get pods --watch
  ${curl} $SERVICE/verdict
`;
}
