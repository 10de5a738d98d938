import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Print } from '../scenario/narrator.js';
import { explanation } from './explanation.js';
import { startInstallation, type TenantsInstallation } from './installation.js';
import { gitHubHost, tenants } from './plan.js';
import { createTenant, untilReady, type CreatedTenant } from './provision.js';
import { checkReach, findReachProblems, reachTable } from './reach.js';
import { runScenario } from './scenario.js';

const forever = 2 ** 31 - 1;

interface TenantsRun {
  /** Folder for the files of the scenario. */
  folder: string;
  /** Whether to exit when the scenario is complete. */
  once: boolean;
  print: Print;
  /** Aborts the run. */
  signal: AbortSignal;
}

/** Runs the scenario of tenants. Returns the exit code: 1 if there are problems. */
export async function runTenants({ folder, once, print, signal }: TenantsRun): Promise<number> {
  print(`Interlock: ${tenants.length} tenants of the Actions gateway, each from one ActionsGateway`);
  const installation = await startInstallation({ folder, print, signal });
  try {
    await writeFile(join(folder, 'github-ca.crt'), installation.service.ca ?? '');
    const created = await provision(installation, folder, print, signal);
    if (!once) print(explanation(installation, folder));
    const reach = await checkReach(installation, tenants);
    print(`\nEach tenant asks its proxy for a tunnel:\n${reachTable(reach).join('\n')}\n`);
    const problems = [
      ...findReachProblems(reach),
      ...(await runScenario({ installation, created, print, signal })),
    ];
    for (const problem of problems) print(`PROBLEM: ${problem}`);
    if (problems.length === 0) print('Each tenant reached GitHub only through its own proxy.');
    if (!once) {
      print('Press Ctrl-C to stop.');
      await sleep(forever, undefined, { signal });
    }
    return problems.length === 0 ? 0 : 1;
  } finally {
    await installation.close();
  }
}

/** Creates the tenants and waits until they are ready. */
async function provision(
  installation: TenantsInstallation,
  folder: string,
  print: Print,
  signal: AbortSignal,
): Promise<Map<string, CreatedTenant>> {
  const setup = { client: installation.client, service: installation.service, folder, signal };
  const created = new Map<string, CreatedTenant>();
  for (const tenant of tenants) {
    print(
      `Creates ${tenant.namespace}, a tenant for ${gitHubHost}/${tenant.account}: ${join(folder, `${tenant.namespace}.yaml`)}`,
    );
    created.set(tenant.namespace, await createTenant(setup, tenant));
  }
  for (const tenant of tenants) {
    await untilReady(setup, tenant);
    const { proxies } = installation.pods;
    const addresses = [...proxies].flatMap(([address, namespace]) =>
      namespace === tenant.namespace ? [address] : [],
    );
    print(`  ${tenant.namespace} is ready: its proxy has the address ${addresses.join(', ')}`);
  }
  return created;
}
