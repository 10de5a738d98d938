import { isTyped } from '@interlock/api';
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  ValidatingWebhookConfiguration,
  type Client,
} from '@interlock/kube';
import type { Kind } from '@interlock/api';
import { apps } from '../fleet/fleet.js';
import { chartDefinitions, collectionOf, type Definition } from '../fleet/definitions.js';
import { admissionService } from '../fleet/install-webhooks.js';
import { definitionOf } from '../foreign/schemas.js';
import type { ForeignKind } from '../foreign/kinds.js';
import { findObject, requireUsable } from './owned-client.js';
import { RefusedError, runNamespaces, runOf } from './ownership.js';

/** The objects that a scenario creates in the cluster in addition to the objects of the apps. */
export interface ScenarioNeeds {
  /** Kinds of Flux, for the simulated Flux controllers. */
  kinds: readonly ForeignKind[];
  /** Names of the ClusterRoleBindings that the simulated Flux controllers apply. */
  clusterRoleBindings: readonly string[];
}

/** No additional objects, for a scenario that does not create any. */
export const noNeeds: ScenarioNeeds = { kinds: [], clusterRoleBindings: [] };

/** The cluster-scoped objects and the namespaces that a run is going to create. */
interface Plan {
  definitions: readonly Definition[];
  /** Names by kind. */
  objects: readonly { kind: Kind; names: readonly string[] }[];
  /** `<namespace>/<name>` of the Services through which the API server calls webhooks. */
  services: readonly string[];
}

const clusterWide = apps.map((app) => `interlock-${app}`);
const webhooks = ['interlock-gate-controller'];

/** Returns the objects that the apps and a scenario are going to create. */
export async function planOf({ kinds, clusterRoleBindings }: ScenarioNeeds): Promise<Plan> {
  const definitions = [...(await chartDefinitions()), ...kinds.map(definitionOf)];
  const { system, config, team, flux } = runNamespaces;
  return {
    definitions,
    objects: [
      { kind: Namespace, names: [system, config, team, ...(kinds.length > 0 ? [flux] : [])] },
      { kind: CustomResourceDefinition, names: definitions.map(({ metadata }) => metadata.name) },
      { kind: ClusterRole, names: clusterWide },
      { kind: ClusterRoleBinding, names: [...clusterWide, ...clusterRoleBindings] },
      { kind: MutatingWebhookConfiguration, names: webhooks },
      { kind: ValidatingWebhookConfiguration, names: webhooks },
    ],
    services: [`${system}/${admissionService('gate-controller')}`],
  };
}

/** Prints the objects that a run is going to create. */
export function printPlan(
  { objects, services }: Plan,
  webhookHost: string,
  print: (line: string) => void,
): void {
  for (const { kind, names } of objects) {
    print(`  ${kind.kind}${names.length === 1 ? '' : 's'}`);
    for (const name of names) print(`    ${name}`);
  }
  print('  Service, through which the API server calls the admission webhooks');
  for (const service of services) print(`    ${service} -> ${webhookHost}`);
}

/**
 * Checks that the cluster contains no objects that conflict with a run. Does not change the cluster. @throws
 * RefusedError that names every conflicting object, and what to do
 */
export async function checkPlan(client: Client, { definitions, objects }: Plan): Promise<void> {
  const problems: string[] = [];
  const check = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      problems.push(error.message);
    }
  };
  for (const { kind, names } of objects) {
    for (const name of names) {
      const definition = definitions.find(({ metadata }) => metadata.name === name);
      await check(() => checkObject(client, kind, name, definition));
    }
  }
  if (problems.length > 0) throw new RefusedError(problems.join('\n'));
}

async function checkObject(
  client: Client,
  kind: Kind,
  name: string,
  definition: Definition | undefined,
): Promise<void> {
  const existing = await findObject(client, kind, name);
  if (existing === undefined) return;
  if (runOf(existing) === undefined) {
    await requireUsable(client, kind, existing, definition ?? { metadata: { name } });
  }
  if (kind.kind === CustomResourceDefinition.kind && definition !== undefined) {
    await requireNoObjects(client, definition);
  }
}

/* The apps act on every object of their kinds, including those of other users. */
async function requireNoObjects(client: Client, definition: Definition): Promise<void> {
  const [first] = await objectsOf(client, definition);
  if (first === undefined) return;
  throw new RefusedError(
    `the cluster has ${definition.spec.names.plural} of other users, such as ${first}, and the apps would act on ` +
      'them: use a cluster without such resources',
  );
}

/** Returns the first objects of a definition, as `<namespace>/<name>`, or none while it is not served. */
export async function objectsOf(client: Client, definition: Definition): Promise<string[]> {
  interface Answer {
    items: { metadata: { namespace?: string; name: string } }[];
  }
  try {
    const path = `${collectionOf(definition)}?limit=10`;
    const { items } = await client.raw<Answer>({ method: 'GET', path });
    return items.map(({ metadata: { namespace, name } }) =>
      namespace === undefined ? name : `${namespace}/${name}`,
    );
  } catch (error) {
    if (isTyped(error, 'NotFound')) return [];
    throw error;
  }
}
