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
  it('has what "npx nx run charts:render" writes', async () => {
    const names = readdirSync(chartsPath('rendered'));
    const present = names.map((name) => [name, readFileSync(chartsPath('rendered', name), 'utf8')] as const);
    expect(new Map(present)).toEqual(await renderedFiles(locateHelm() ?? ''));
  });

  it('gives npm start the same manifests as helm does', async () => {
    const byHelm = await fleetManifests(forge, locateHelm());
    const fromFiles = await fleetManifests(forge, null);
    expect(fromFiles.manifests).toEqual(byHelm.manifests);
    expect(JSON.stringify([...fromFiles.manifests])).toContain(`--scm-hosts=${forge}`);
  });

  it('gives the scenario jobs the same manifests as helm does', async () => {
    const byHelm = await gatewayManifests(service, locateHelm());
    const fromFile = await gatewayManifests(service, null);
    expect(fromFile.manifests).toEqual(byHelm.manifests);
    expect(JSON.stringify(fromFile.manifests)).toContain(`http://${service}/acme`);
  });

  it('gives the scenario tenants the same manifests as helm does', async () => {
    const fromFile = await gmcManifests(null);
    expect(fromFile.manifests).toEqual((await gmcManifests(locateHelm())).manifests);
    expect(JSON.stringify(fromFile.manifests)).toContain('--extra-egress-cidrs=127.0.0.2/32');
  });
});
