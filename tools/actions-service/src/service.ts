import { systemClock, type Clock } from '@interlock/base';
import { brokerRoutes } from './broker/broker-routes.js';
import { ServiceState, type DomainContext, type ServiceUrls } from './domain/context.js';
import { Credentials } from './domain/credentials.js';
import { createDomain, type Domain } from './domain/domain.js';
import { ownerOf } from './domain/owner.js';
import { RunnerKeys } from './domain/runner-keys.js';
import { Tally } from './domain/tally.js';
import { ServiceFaults } from './faults/fault-rules.js';
import { createLoopbackCertificate, type LoopbackCertificate } from './http/loopback-certificate.js';
import { RequestHandler } from './http/request-handler.js';
import { RouteTable, type EndpointRoute } from './http/route-table.js';
import { ServiceServer } from './http/service-server.js';
import { settingsOf, type ActionsServiceOptions, type Base } from './options.js';
import { controlRoutes } from './control/control-routes.js';
import { registrationRoutes } from './rest/registration-routes.js';
import { tenantRoutes } from './rest/tenant-routes.js';
import { Partition } from './partition.js';
import { SeededRandom } from './random.js';
import { RequestJournal } from './record/request-journal.js';
import { ServiceEvents } from './record/service-events.js';
import { Violations } from './record/violations.js';
import { AppKeys, generateAppKey } from './rest/app-keys.js';
import { appRoutes } from './rest/app-routes.js';
import { tenantId } from './rest/connection-data.js';
import { RestApi } from './rest/rest-api.js';
import { runnerRoutes } from './rest/runner-routes.js';
import { tokenRoutes } from './rest/token-routes.js';
import { workflowRoutes } from './rest/workflow-routes.js';
import { resultsRoutes } from './run/results-routes.js';
import { runRoutes } from './run/run-routes.js';
import type { ServiceApp } from './rest/app-jwt.js';
import { ActionsService, type AppCredentials } from './actions-service.js';

const bases: readonly Base[] = ['rest', 'token', 'tenant', 'broker', 'run', 'results', 'control'];
const defaultInstallation = { id: 987_654, account: 'acme' };

/**
 * Starts the service on the loopback interface.
 *
 * @throws Error when the port is taken, or the key of the App is not a key.
 */
export async function startActionsService(options: ActionsServiceOptions = {}): Promise<ActionsService> {
  const clock = options.clock ?? systemClock;
  const app = await appOf(options);
  const keys = new AppKeys();
  keys.add(app.privateKey);
  const { address = '127.0.0.1' } = options;
  const certificate = await certificateOf(options, address);
  const origins = new Map<Base, string>();
  const urls = (): ServiceUrls => urlsOf(origins, options.hostName);
  const domain = createDomain(contextOf(options, clock, urls));
  const { context } = domain;
  const parts = {
    journal: new RequestJournal(clock, context.settings.journalLimit),
    faults: new ServiceFaults(clock, context.random),
  };
  const closing = new AbortController();
  const server = new ServiceServer(address, certificate, (request, response, port) => {
    void handler.handle(request, response, port);
  });
  const partition = new Partition(clock, context.events, () => server.disconnect());
  const handler = new RequestHandler({
    ...parts,
    clock,
    violations: context.violations,
    credentials: context.credentials,
    ownerOf: (subject, params) => ownerOf(context.state, subject, params),
    routes: new RouteTable(routesOf(domain, { ...app, keys }, () => service)),
    isPartitioned: () => partition.isActive,
    closing: closing.signal,
    onError: (error) => context.violations.record('invariant', `the service failed: ${String(error)}`),
  });
  await listen(server, options, origins);
  const service = new ActionsService({
    ...parts,
    domain,
    app,
    keys,
    partition,
    ca: certificate?.ca,
    urls: urls(),
    close: async () => {
      closing.abort();
      partition.end();
      await server.close();
      closeDomain(domain);
    },
  });
  return service;
}

function routesOf(domain: Domain, app: ServiceApp, service: () => ActionsService): EndpointRoute[] {
  const api = new RestApi(domain, app);
  return [
    ...appRoutes(api),
    ...runnerRoutes(api),
    ...workflowRoutes(api),
    ...registrationRoutes(domain),
    ...tenantRoutes(domain),
    ...controlRoutes(service),
    ...tokenRoutes(domain),
    ...brokerRoutes(domain),
    ...runRoutes(domain),
    ...resultsRoutes(domain),
  ];
}

async function appOf({ app }: ActionsServiceOptions): Promise<AppCredentials> {
  const { id = 12_345, clientId = 'Iv23liActionsDouble' } = app ?? {};
  return { id, clientId, privateKey: app?.privateKey ?? (await generateAppKey()) };
}

function contextOf(options: ActionsServiceOptions, clock: Clock, urls: () => ServiceUrls): DomainContext {
  const settings = settingsOf(options);
  const context: DomainContext = {
    clock,
    settings,
    urls,
    random: new SeededRandom(options.seed ?? 1),
    events: new ServiceEvents(clock, settings.journalLimit),
    violations: new Violations(clock),
    credentials: new Credentials(clock),
    keys: options.runnerKeys ?? new RunnerKeys(),
    tally: new Tally(),
    state: new ServiceState(),
  };
  for (const { id, account } of options.installations ?? [defaultInstallation]) {
    context.state.installations.set(id, { id, account, budget: { used: 0, resetsAt: 0 } });
  }
  return context;
}

async function listen(
  server: ServiceServer,
  options: ActionsServiceOptions,
  origins: Map<Base, string>,
): Promise<void> {
  if (options.separatePorts === true) {
    for (const base of bases)
      origins.set(base, await server.listen(base === 'rest' ? (options.port ?? 0) : 0, base));
    return;
  }
  const origin = await server.listen(options.port ?? 0);
  for (const base of bases) origins.set(base, origin);
}

/** Creates the certificate with the time of the machine, by which clients check it, not with the clock of the service. */
async function certificateOf(
  { protocol, hostName }: ActionsServiceOptions,
  address: string,
): Promise<LoopbackCertificate | undefined> {
  if (protocol !== 'https') return undefined;
  const names = ['localhost', ...(hostName === undefined ? [] : [hostName])];
  return createLoopbackCertificate(systemClock.now(), address, names);
}

function urlsOf(origins: ReadonlyMap<Base, string>, hostName: string | undefined): ServiceUrls {
  const at = (base: Base): string => {
    const origin = origins.get(base) ?? '';
    if (hostName === undefined || base === 'control' || origin === '') return origin;
    const { protocol, port } = new URL(origin);
    return `${protocol}//${hostName}:${port}`;
  };
  return {
    web: at('rest'),
    rest: `${at('rest')}/api/v3`,
    token: `${at('token')}/_apis/oauth2/token/${tenantId}`,
    tenant: `${at('tenant')}/tenant`,
    broker: `${at('broker')}/broker`,
    run: `${at('run')}/run`,
    results: `${at('results')}/results`,
    control: `${at('control')}/__fake`,
  };
}

/** Cancels every timer of the domain, so that a program can end. */
function closeDomain({ context, runners, runs }: Domain): void {
  const { state } = context;
  for (const run of state.runs.values()) {
    run.cancelTimer?.cancel();
    for (const job of runs.jobs(run)) {
      job.queueTimer?.cancel();
      for (const delivery of job.deliveries) {
        delivery.offerTimer?.cancel();
        delivery.lockTimer?.cancel();
        delivery.unstartedTimer?.cancel();
      }
    }
  }
  state.queue.clear();
  runners.close();
}
