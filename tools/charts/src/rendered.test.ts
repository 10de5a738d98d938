import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { fleetManifests, renderedFiles } from './fleet.js';
import { gatewayManifests } from './gateway.js';
import { gmcManifests } from './gmc.js';
import { locateHelm } from './helm.js';
import { chartsPath } from './render.js';
import { describeWithHelm } from './testing/workshop.js';

const forge = '127.0.0.1:3000';
const service = '127.0.0.1:3001';

describeWithHelm('charts/rendered', () => {
  it('equals the output of "npx nx run charts:render"', async () => {
    const names = readdirSync(chartsPath('rendered'));
    const present = names.map((name) => [name, readFileSync(chartsPath('rendered', name), 'utf8')] as const);
    expect(new Map(present)).toEqual(await renderedFiles(locateHelm() ?? ''));
  });

  it('has the same manifests for npm start as Helm renders', async () => {
    const byHelm = await fleetManifests(forge, locateHelm());
    const fromFiles = await fleetManifests(forge, null);
    expect(fromFiles.manifests).toEqual(byHelm.manifests);
    expect(JSON.stringify([...fromFiles.manifests])).toContain(`--scm-hosts=${forge}`);
  });

  it('has the same manifests for the scenario jobs as Helm renders', async () => {
    const byHelm = await gatewayManifests(service, locateHelm());
    const fromFile = await gatewayManifests(service, null);
    expect(fromFile.manifests).toEqual(byHelm.manifests);
    expect(JSON.stringify(fromFile.manifests)).toContain(`http://${service}/acme`);
  });

  it('has the same manifests for the scenario tenants as Helm renders', async () => {
    const fromFile = await gmcManifests(null);
    expect(fromFile.manifests).toEqual((await gmcManifests(locateHelm())).manifests);
    expect(JSON.stringify(fromFile.manifests)).toContain('--extra-egress-cidrs=127.0.0.2/32');
  });
});
