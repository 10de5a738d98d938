import { EventResponse, SecurityEvent, type GitOpsResponderConfig } from '@interlock/api';
import { isProblem } from '@interlock/base';
import {
  branchOf,
  compileRoutes,
  eventNameOf,
  missingEvent,
  notClaimed,
  renderProposal,
  route as routeOf,
  routesOf,
  uidOf,
  type ProposalFacts,
  type Routing,
} from '@interlock/responding';
import { exitCodes, Failure, type ExitCode } from '../exit.js';
import type { Objects } from '../manifest/objects.js';
import { Checkout } from './checkout.js';
import { configView, findConfig, specInUse } from './config.js';
import type { EventView, Explanation, GateView, RouteView } from './explanation.js';
import { gateOf } from './gate.js';
import { orRefused, planOf } from './plan.js';
import { statusSentences } from './status.js';

export interface ExplainOptions {
  configNamespace: string;
  config?: string;
  responderName: string;
  dryRun?: boolean;
  /** A local checkout of the repository. */
  repo?: string;
  clusterId: string;
  clusterName: string;
}

/**
 * Returns the response of this name; without a name, the only one.
 *
 * @throws Failure if it does not exist
 */
export async function findResponse(objects: Objects, name: string | undefined): Promise<EventResponse> {
  if (name === undefined) {
    const [only, second] = await objects.all(EventResponse);
    if (only !== undefined && second === undefined) return only;
    throw new Failure(
      only === undefined ? 'there is no EventResponse' : 'there are several EventResponses; name one',
    );
  }
  const found = await objects.one(EventResponse, { name });
  if (found === undefined) throw new Failure(`EventResponse ${name} not found`);
  return found;
}

/** Returns how a response is interpreted, and what its outcome would be. Nothing is written, and no SCM is called. */
export async function explain(
  objects: Objects,
  response: EventResponse,
  options: ExplainOptions,
  now: number,
): Promise<Explanation> {
  const base: Explanation = {
    response: { name: response.metadata.name, uid: uidOf(response) },
    responder: options.responderName,
    routes: [],
    status: statusSentences(response),
  };
  const other = notClaimed(response, options.responderName);
  if (other !== undefined) return { ...base, notClaimed: other };
  const found = await findEvent(objects, response);
  const missing = missingEvent(response, found);
  const event = missing === undefined ? found : undefined;
  const named = { ...base, ...eventView(response, event, missing) };
  const config = await findConfig(objects, options.configNamespace, options.config);
  if (config === undefined) throw new Failure(noConfig(options));
  const { routes } = routesOf(specInUse(config));
  const routing = routeOf(compileRoutes(routes), { event, response });
  const routed = {
    ...named,
    config: configView(config, options.configNamespace, objects.isOffline),
    routes: routing.results.map((result): RouteView => ({
      ...result,
      ...targetOf(routes[result.index]?.provider),
    })),
    ...(routing.undecided && { undecided: routing.undecided }),
  };
  return routing.taken === undefined || missing !== undefined
    ? routed
    : { ...routed, ...(await follow(objects, config, response, event, routing.taken, options, now)) };
}

/** Returns the outcome of the selected route. */
async function follow(
  objects: Objects,
  config: GitOpsResponderConfig,
  response: EventResponse,
  event: SecurityEvent | undefined,
  { index, route }: NonNullable<Routing['taken']>,
  options: ExplainOptions,
  now: number,
): Promise<Partial<Explanation>> {
  const { kind: provider, repository, baseBranch } = route.provider;
  const gate = await gateOf(objects, route, config.metadata.namespace ?? options.configNamespace, now);
  const checkout = options.repo === undefined ? undefined : await Checkout.open(options.repo);
  const plan = await planOf(route, response, event, objects, checkout);
  const cluster = { id: options.clusterId, name: options.clusterName };
  const facts: ProposalFacts = {
    route,
    index,
    event,
    response,
    plan: plan.facts,
    cluster,
    gate: gateFacts(gate),
  };
  const branch = orRefused(() => response.status?.changeRequest?.branch ?? branchOf(response, baseBranch));
  const proposal = orRefused(() => renderProposal(facts));
  const refused = plan.refused ?? [branch, proposal].find(isProblem)?.message;
  return {
    taken: { index, provider, repository, baseBranch },
    ...(gate && { gate }),
    ...(!isProblem(branch) && { branch }),
    plan: plan.view,
    refused,
    ...(options.dryRun === true && !isProblem(proposal) && { proposal }),
  };
}

/** Returns a gate in the form that templates use. */
function gateFacts(gate: GateView | undefined): ProposalFacts['gate'] {
  if (gate?.isFound !== true) return undefined;
  const { name, namespace, open, reason } = gate;
  return { name, namespace, open, reason };
}

/** Returns the exit code. */
export function exitCodeOf({ notClaimed: other, taken, refused, config }: Explanation): ExitCode {
  if (other !== undefined) return exitCodes.notRouted;
  if (refused !== undefined || config?.isUnusable === true) return exitCodes.failed;
  return taken === undefined ? exitCodes.notRouted : exitCodes.ok;
}

/**
 * Returns the event of a response. An event from a manifest has no UID, so it gets the UID that the response names.
 */
async function findEvent(objects: Objects, response: EventResponse): Promise<SecurityEvent | undefined> {
  const { name = '', uid } = response.spec.securityEventRef ?? {};
  const event = name === '' ? undefined : await objects.one(SecurityEvent, { name });
  if (event === undefined || !objects.isOffline || uid === undefined) return event;
  return { ...event, metadata: { uid, ...event.metadata } };
}

function eventView(
  response: EventResponse,
  event: SecurityEvent | undefined,
  missing: string | undefined,
): { event?: EventView } {
  if (missing !== undefined) return { event: { name: eventNameOf(response), missing } };
  if (event === undefined) return {};
  const { type, severity, subject = {} } = event.spec;
  const object = [subject.namespace, subject.name].filter(Boolean).join('/');
  const parts = [
    type,
    severity && `severity ${severity}`,
    object && [subject.kind, object].filter(Boolean).join(' '),
  ];
  return { event: { name: event.metadata.name, about: parts.filter(Boolean).join(', ') } };
}

function targetOf(provider: { kind: string; repository: string } | undefined) {
  return { provider: provider?.kind ?? '', repository: provider?.repository ?? '' };
}

function noConfig({ config, configNamespace }: ExplainOptions): string {
  const which = config === undefined ? '' : ` ${config}`;
  return `no GitOpsResponderConfig${which} exists in ${configNamespace} namespace (--config-namespace)`;
}
