export { fleetManifests, type FleetManifests } from './fleet.js';
export { gatewayManifests, gatewayTenant } from './gateway.js';
export { enterpriseAddress, gmcManifests } from './gmc.js';
export { locateHelm, Helm } from './helm.js';
export { parseManifests, type Manifest } from './manifest.js';
export { releaseNamespace, responderConfigNamespace } from './namespaces.js';
export { appCharts, renderCharts } from './render.js';
