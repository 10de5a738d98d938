import {
  ifFound,
  isTyped,
  runnerFinalizers,
  RunnerGroup,
  type ActionsGateway,
  type Kind,
  type ObjectKey,
} from '@interlock/api';
import {
  controllerReference,
  Deployment,
  Namespace,
  NetworkPolicy,
  Secret,
  type ActContext,
} from '@interlock/kube';
import { keepCertificates } from '@interlock/service';
import { isProblem } from '@interlock/base';
import type { GmcContext } from '../context.js';
import { namespaceFieldManager, namespaceLabels } from '../render/namespace.js';
import { names, proxyHosts } from '../render/names.js';
import { rolledFor } from '../render/proxy-authorities.js';
import { isCentral, namespaceOf } from '../render/context.js';
import { labelsOf } from '../render/objects.js';
import { applyObject } from './apply-object.js';
import { Attempts } from './attempts.js';
import { copyCredential } from './credential.js';
import type { GatewayDecision } from './decide.js';
import type { ObservedGateway, OwnedObject } from './observed.js';
import type { GatewayOutcome } from './outcome.js';

type Step = Pick<ActContext<ActionsGateway>, 'signal' | 'now'>;

/** Applies a decision about a gateway. Every call can be repeated. @throws TypedError */
export async function actOnGateway(
  context: GmcContext,
  decision: GatewayDecision,
  observed: ObservedGateway,
  step: Step,
): Promise<GatewayOutcome> {
  switch (decision.type) {
    case 'refuse':
    case 'release':
      return { writes: 0, abandoned: [] };
    case 'provision':
      return { writes: await provision(context, decision, observed, step), abandoned: [] };
    case 'drain':
      return drain(context, decision, observed, step);
    case 'dismantle':
      return { writes: await removeAll(context, observed, decision.remove, step), abandoned: [] };
  }
}

/** Deletes RunnerGroups and releases abandoned ones. A refused one delays no other one. */
async function drain(
  context: GmcContext,
  { remove, abandoned }: Extract<GatewayDecision, { type: 'drain' }>,
  observed: ObservedGateway,
  step: Step,
): Promise<GatewayOutcome> {
  const attempts = new Attempts();
  for (const group of remove)
    await attempts.run(group.kind, group.name, () => removeAll(context, observed, [group], step));
  for (const group of abandoned)
    await attempts.run(RunnerGroup, group.metadata.name, () => releaseGroup(context, group, step));
  attempts.finish();
  return { writes: remove.length, abandoned: abandoned.map(({ metadata }) => metadata.name) };
}

async function provision(
  context: GmcContext,
  { objects, prune }: Extract<GatewayDecision, { type: 'provision' }>,
  observed: ObservedGateway,
  step: Step,
): Promise<number> {
  const { gateway, credential } = observed;
  const { client } = context.manager;
  const attempts = new Attempts();
  let writes = 0;
  const write = async (kind: Kind, name: string, call: () => Promise<number | boolean>) => {
    writes += Number((await attempts.run(kind, name, call)) ?? 0);
  };
  await write(Namespace, namespaceOf(gateway), () => labelNamespace(context, gateway, step));
  const certificate = await attempts.run(Secret, names.proxyTls, () =>
    keepCertificate(context, gateway, step),
  );
  if (certificate?.isWritten === true) writes += 1;
  if (isCentral(gateway) && !isProblem(credential)) {
    await write(Secret, names.credential, () =>
      copyCredential(client, gateway, credential, context.installation, step.signal),
    );
  }
  /* Without a certificate the Deployments are not applied. */
  for (const object of rolledFor(objects, certificate?.stored.authorities ?? '')) {
    const { name } = object.configuration.metadata;
    if (attempts.holds(object.kind, name)) continue;
    await write(object.kind, name, () => applyObject({ ...context, client }, gateway, object, step.signal));
  }
  if (observed.proxy?.isStopped === true && !attempts.holds(Deployment, names.proxy))
    await write(Deployment, names.proxy, () => startProxy(context, gateway, step));
  for (const object of prune) {
    /* A policy that is no longer required may isolate pods until a refused one is applied. */
    if (object.kind === NetworkPolicy && attempts.haveFailed) continue;
    await write(object.kind, object.name, () => removeAll(context, observed, [object], step));
  }
  attempts.finish();
  return writes;
}

/**
 * Restores the pods of the proxy after it was scaled to zero. The autoscaler, which otherwise sets their number, does not scale
 * up from zero.
 */
async function startProxy(
  { manager: { client } }: GmcContext,
  gateway: ActionsGateway,
  { signal }: Step,
): Promise<number> {
  const key = { name: names.proxy, namespace: namespaceOf(gateway) };
  const patch = { spec: { replicas: gateway.spec.proxy.minReplicas } };
  await client.patch(Deployment, key, { type: 'merge', patch }, { signal });
  return 1;
}

async function labelNamespace(
  { manager: { client }, caches }: GmcContext,
  gateway: ActionsGateway,
  { signal }: Step,
): Promise<number> {
  const configuration = namespaceLabels(gateway);
  const desired = Object.entries(configuration.metadata['labels'] as Record<string, string>);
  const { labels = {} } = caches.namespaces.get({ name: namespaceOf(gateway) })?.metadata ?? {};
  if (desired.every(([key, value]) => labels[key] === value)) return 0;
  /* Conflicts are forced: the profile of the gateway takes precedence over other field managers. */
  await client.apply(Namespace, configuration, { fieldManager: namespaceFieldManager, force: true, signal });
  return 1;
}

/** Issues and renews the certificate of the proxy. Its pods reload the files. */
async function keepCertificate(
  { manager: { client, clock }, log, installation }: GmcContext,
  gateway: ActionsGateway,
  { signal }: Step,
): ReturnType<typeof keepCertificates> {
  const namespace = namespaceOf(gateway);
  return keepCertificates(
    {
      ...{ client, clock, log },
      secret: { name: names.proxyTls, namespace },
      dnsNames: proxyHosts(namespace),
      metadata: {
        labels: labelsOf(gateway, 'egress-proxy', installation),
        ownerReferences: [controllerReference(gateway)],
      },
    },
    signal,
  );
}

async function removeAll(
  { manager: { client } }: GmcContext,
  { gateway }: ObservedGateway,
  objects: readonly OwnedObject[],
  { signal }: Step,
): Promise<number> {
  const namespace = namespaceOf(gateway);
  for (const { kind, name, uid } of objects) {
    try {
      await client.delete(kind, { name, namespace }, { uid, propagationPolicy: 'Background', signal });
    } catch (error) {
      /* It is already deleted, or another object has its name. */
      if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
    }
  }
  return objects.length;
}

/** Removes the finalizer from a RunnerGroup whose controller can no longer remove its runners. */
async function releaseGroup(
  { manager: { client } }: GmcContext,
  { metadata }: RunnerGroup,
  { signal }: Step,
): Promise<void> {
  const finalizers = (metadata.finalizers ?? []).filter((one) => one !== runnerFinalizers.agentPoolCleanup);
  const key: ObjectKey = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const patch = { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, finalizers } };
  await ifFound(client.patch(RunnerGroup, key, { type: 'merge', patch }, { signal }));
}
