export { kubeconfigFlags, type Cluster, type KubeconfigFile, type Namespaces } from './cluster/cluster.js';
export { embeddedNamespaces, startEmbeddedCluster, type EmbeddedCluster } from './cluster/embedded.js';
export { openGivenCluster } from './cluster/given.js';
export { runNamespaces } from './cluster/ownership.js';
export { noNeeds } from './cluster/plan.js';
export { AppProcess } from './fleet/app-process.js';
export { createDeploymentFleet } from './fleet/deployment-fleet.js';
export { apps, type AppName, type Fleet } from './fleet/fleet.js';
export { proposalExamples } from './demo/proposal-examples.js';
export { createForgeRepository } from './fleet/forge-repository.js';
export { freePort } from './fleet/free-port.js';
export { installIdentity } from './fleet/identity.js';
export {
  ensureNamespace,
  installCustomResources,
  systemNamespace,
  writeAppKubeconfig,
} from './fleet/install.js';
export { admissionService, installWebhooks } from './fleet/install-webhooks.js';
export { createProcessFleet, type ProcessFleet, type ProcessFleetOptions } from './fleet/process-fleet.js';
export { createResponderAccess, responderConfigStatus } from './fleet/responder-access.js';
export { createForgeAccount, type ForgeAccount, type ScmAccess, type ScmName } from './fleet/scm-access.js';
export { createAccess, providerName, repositoryName, requestRefresh } from './fleet/tenant.js';
export { SimulatedFlux } from './foreign/flux.js';
export { installForeignKinds, removeForeignKinds } from './foreign/install.js';
export { argoKinds, fluxKinds, type ForeignKind, type ForeignObject } from './foreign/kinds.js';
export { revisionOf } from './foreign/revisions.js';
export { initBare, LocalRepository } from './git.js';
export { startPlatform, type EmbeddedPlatform, type Platform } from './platform.js';
export { commitEach, commitFiles, type BranchCommit } from './repository/commit.js';
