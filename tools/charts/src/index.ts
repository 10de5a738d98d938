export { fleetManifests, type FleetManifests } from './fleet.js';
export { gatewayManifests, gatewayTenant, type GatewayManifests } from './gateway.js';
export { enterpriseAddress, gmcManifests } from './gmc.js';
export { helmVersion, locateHelm, Helm, type HelmResult } from './helm.js';
export { parseManifests, type Manifest } from './manifest.js';
export { releaseNamespace, responderConfigNamespace } from './namespaces.js';
export { appCharts, renderCharts, type AppChart } from './render.js';
