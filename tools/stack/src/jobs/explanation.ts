import { controller, namespace, type JobsGateway } from './gateway.js';
import { labelsOf, repository } from './plan.js';

/** Returns a description of the running scenario, with commands to try. */
export function explanation({ cluster, service, kubeconfig }: JobsGateway): string {
  const kubectl = `kubectl -n ${namespace}`;
  const job = { repository, labels: labelsOf('linux'), jobName: 'mine', durationHint: 5_000 };
  return `
Running:
  Kubernetes API   ${cluster.url}
  Actions service  ${service.urls.rest}
Try:
  export KUBECONFIG=${kubeconfig.path}
  ${kubectl} get runnergroups,pods
  ${kubectl} describe runnergroup linux
  ${kubectl} logs deploy/${controller.name} --tail 20
Queue a job, watch its pod, and show the results of all jobs:
  export SERVICE=${service.urls.control}
  curl -H 'Content-Type: application/json' -d '${JSON.stringify(job)}' $SERVICE/jobs
  ${kubectl} get pods --watch
  curl $SERVICE/jobs
  curl $SERVICE/verdict
Cancel it, with the runId from the response:
  curl -H 'Content-Type: application/json' -d '{"runId":"<id>"}' $SERVICE/cancel
`;
}
